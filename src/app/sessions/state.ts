// Which run a session's loop is kept as: one small file per session, so that no session ever finds another one's.
import fs from "node:fs";
import path from "node:path";
import * as z from "zod";
import type { SessionKey } from "#spec/session";
import { privateDir, writePrivate } from "#system/files";
import type { Home } from "../home.ts";

const shape = z.object({
  host: z.string(),
  session: z.string(),
  run: z.string(),
  mark: z.number().default(0),
  description: z.string().optional(),
  /** Turns in a row that broke off. */
  errors: z.number().default(0),
});

export type State = z.output<typeof shape>;

export interface States {
  read(key: SessionKey): State | undefined;
  write(state: State): void;
  remove(key: SessionKey): void;
  list(host: string): readonly State[];
}

/** `report` hears of files that cannot be read; they are set aside, and the session is as one without a loop. */
export function sessionStates(home: Home, report: (text: string) => void): States {
  const fileOf = ({ host, session }: SessionKey) => home.sessionFile(host, session);

  const setAside = (file: string, why: string): undefined => {
    const aside = `${file}.unreadable-${Date.now()}`;
    fs.renameSync(file, aside);
    report(`the state of this session's loop could not be read (${why}); it is set aside as ${aside}`);
  };
  const readFile = (file: string): State | undefined => {
    if (!fs.existsSync(file)) return undefined;
    try {
      return shape.parse(JSON.parse(fs.readFileSync(file, "utf8")));
    } catch (error) {
      return setAside(
        file,
        error instanceof SyntaxError ? "it is not JSON" : "it has not the keys it should",
      );
    }
  };
  return {
    read: (key) => readFile(fileOf(key)),
    write: (state) => {
      privateDir(home.sessions);
      writePrivate(fileOf(state), `${JSON.stringify(state)}\n`);
    },
    remove: (key) => fs.rmSync(fileOf(key), { force: true }),
    list: (host) => {
      if (!fs.existsSync(home.sessions)) return [];
      const files = fs.readdirSync(home.sessions).filter((name) => name.endsWith(".json"));
      const states = files.flatMap((name) => readFile(path.join(home.sessions, name)) ?? []);
      return states.filter((state) => state.host === host);
    },
  };
}
