// Maps a session to the run of its loop: one small file per session, so that sessions never share state.
import fs from "node:fs";
import path from "node:path";
import * as z from "zod";
import type { SessionKey } from "#spec/session";
import type { Home } from "#state/home";
import { privateDir, writePrivate } from "#system/files";

const shape = z.object({
  host: z.string(),
  session: z.string(),
  run: z.string(),
  mark: z.number().default(0),
  description: z.string().optional(),
  /** Consecutive turns that failed. */
  errors: z.number().default(0),
});

export type State = z.output<typeof shape>;

export interface SessionStates {
  read(key: SessionKey): State | undefined;
  write(state: State): void;
  /** Returns whether the file existed: of several concurrent callers, exactly one gets true. */
  remove(key: SessionKey): boolean;
  list(host: string): readonly State[];
}

function whyUnreadable(error: unknown): string {
  if (error instanceof SyntaxError) return "it is not JSON";
  if (error instanceof z.ZodError) return "it has not the keys it should";
  return (error as Error).message;
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}

/** Renames unreadable files out of the way and passes them to `report`; such a session counts as one without a loop. */
export function sessionStates(home: Home, report: (text: string) => void): SessionStates {
  const fileOf = ({ host, session }: SessionKey) => home.sessionFile(host, session);

  const setAside = (file: string, why: string): undefined => {
    const aside = `${file}.unreadable-${Date.now()}`;
    const said = `the state of this session's loop could not be read (${why})`;
    try {
      fs.renameSync(file, aside);
      report(`${said}; it is set aside as ${aside}`);
    } catch (error) {
      report(`${said}, nor set aside: ${(error as Error).message}`);
    }
  };
  const readFile = (file: string): State | undefined => {
    try {
      return shape.parse(JSON.parse(fs.readFileSync(file, "utf8")));
    } catch (error) {
      return hasCode(error, "ENOENT") ? undefined : setAside(file, whyUnreadable(error));
    }
  };
  return {
    read: (key) => {
      const state = readFile(fileOf(key));
      if (!state || (state.host === key.host && state.session === key.session)) return state;
      return setAside(fileOf(key), "it is of another session");
    },
    write: (state) => {
      privateDir(home.sessions);
      writePrivate(fileOf(state), `${JSON.stringify(state)}\n`);
    },
    remove: (key) => {
      try {
        fs.unlinkSync(fileOf(key));
        return true;
      } catch (error) {
        if (hasCode(error, "ENOENT")) return false;
        throw error;
      }
    },
    list: (host) => {
      if (!fs.existsSync(home.sessions)) return [];
      const files = fs.readdirSync(home.sessions).filter((name) => name.endsWith(".json"));
      const states = files.flatMap((name) => readFile(path.join(home.sessions, name)) ?? []);
      return states.filter((state) => state.host === host);
    },
  };
}
