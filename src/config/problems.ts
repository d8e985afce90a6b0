// Collects all problems of a task, so that the user sees every mistake at once.

import type { Finding } from "#options/issues";
import { ConfigError } from "#spec/errors";
import { closest, type Located } from "./located.ts";

export interface Problem {
  readonly at: string;
  readonly message: string;
}

export interface Problems {
  add(at: string, message: string): void;
  /** Adds the findings of a schema, each located at its key or value. */
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
  /** The file, unless it is the text `origin` itself. */
  readonly path?: string;
}

/** Parses "file:line:column: message". */
const LOCATED_MESSAGE = /^(.+?)(?::(\d+):(\d+))?: (.*)$/s;

export function placesIn({ problems }: ConfigError, origin: string): Place[] {
  return problems.map((text) => {
    const [, at, line, column, message] = LOCATED_MESSAGE.exec(text) ?? [];
    if (at === undefined || message === undefined) return { message: text };
    const place = line === undefined ? {} : { line: Number(line), column: Number(column) };
    return { message, ...place, ...(at !== origin && { path: at }) };
  });
}
