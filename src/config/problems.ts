// Everything that is wrong, collected: people fix a file once, not once per mistake.
import { ConfigError } from "#spec/errors";
import type { Finding } from "./issues.ts";
import { closest, type Located } from "./located.ts";

export interface Problem {
  readonly at: string;
  readonly message: string;
}

export interface Problems {
  add(at: string, message: string): void;
  /** What a schema found in the tree, each at its own key or value. */
  found(tree: Located, findings: readonly Finding[]): void;
  readonly none: boolean;
  error(): ConfigError;
}

export function collectProblems(): Problems {
  const lines = new Set<string>();
  const add = (at: string, message: string) => void lines.add(`${at}: ${message}`);
  return {
    add,
    found(tree, findings) {
      for (const { path, about, message } of findings) {
        const node = closest(tree, path);
        add(about === "key" ? node.keyAt : node.valueAt, message);
      }
    },
    get none() {
      return lines.size === 0;
    },
    error: () => new ConfigError([...lines]),
  };
}

export interface Place {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** The file, when it is not the text `origin` itself. */
  readonly path?: string;
}

/** "file:line:column: message", taken apart again. */
const PLACED = /^(.+?)(?::(\d+):(\d+))?: (.*)$/s;

export function placesIn({ problems }: ConfigError, origin: string): Place[] {
  return problems.map((text) => {
    const [, at, line, column, message] = PLACED.exec(text) ?? [];
    if (at === undefined || message === undefined) return { message: text };
    const place = line === undefined ? {} : { line: Number(line), column: Number(column) };
    return { message, ...place, ...(at !== origin && { path: at }) };
  });
}
