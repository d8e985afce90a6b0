// Writes the readable transcript of an agent that prints JSON: text and tools, besides the full log.
import fs from "node:fs";
import { openLog } from "#system/files";
import { secrets } from "#system/secrets/secrets";

export interface Transcript {
  write(text: string): void;
  close(): void;
}

const MAX_CHARS = 20 * 1024 * 1024;

export function openTranscript(file: string): Transcript {
  const handle = openLog(file);
  let remaining = MAX_CHARS;
  return {
    write: (text) => {
      if (remaining <= 0) return;
      remaining -= text.length;
      const masked = secrets.mask(text);
      fs.writeSync(handle, remaining > 0 ? masked : "[… the rest is in stdout.log]\n");
    },
    close: () => fs.closeSync(handle),
  };
}
