// What people read of an agent that prints JSON: its words and its tools, beside the full log.
import fs from "node:fs";
import { openLog } from "#system/files";
import { secrets } from "#system/secrets/secrets";

export interface Transcript {
  write(text: string): void;
  close(): void;
}

const MOST_CHARS = 20 * 1024 * 1024;

export function openTranscript(file: string): Transcript {
  const handle = openLog(file);
  let room = MOST_CHARS;
  return {
    write: (text) => {
      if (room <= 0) return;
      room -= text.length;
      const words = secrets.mask(text);
      fs.writeSync(handle, room > 0 ? words : "[… the rest is in stdout.log]\n");
    },
    close: () => fs.closeSync(handle),
  };
}
