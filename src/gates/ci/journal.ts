// Progress messages and job logs of the gate: in full in a file, the end in the verdict.
import fs from "node:fs";
import path from "node:path";
import { openLog, readTail, sizeOf } from "#system/files";
import { secrets } from "#system/secrets/secrets";
import { tail } from "#text/plain-text";

const END_BYTES = 16_384;
const END_CHARS = 4_000;

export interface Journal {
  say(text: string): void;
  end(): string;
}

export function openJournal(files: string): Journal {
  const file = path.join(files, "stdout.log");
  const from = sizeOf(file);
  return {
    say: (text) => {
      const handle = openLog(file);
      fs.writeSync(handle, `${secrets.mask(text)}\n`);
      fs.closeSync(handle);
    },
    end: () => tail(readTail(file, END_BYTES, from), END_CHARS),
  };
}
