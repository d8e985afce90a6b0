// Parses compile errors of `go test`, which go prints once for all packages that they break.
import type { Failure } from "#spec/verdict";
import { failure } from "./shared/failure.ts";
import { countsOf, type RunPart } from "./shared/report.ts";

const ERROR = /^(?:vet: )?(\S+\.go):(\d+)(?::\d+)?: (\S.*)$/;
const MOST_LINES = 20;

/** One failure per compile error; one per package only if the compiler's output is missing. */
export function buildFailures(output: readonly string[], packages: readonly string[]): RunPart {
  const errors = compileErrors(output);
  const failures =
    errors.length > 0 ? errors : packages.map((id) => failure({ id, message: "does not compile" }));
  return {
    counts: countsOf({ passed: 0, failed: failures.length, skipped: 0, extra: failures.length }),
    failures,
  };
}

// The identity excludes the line number, which moves with edits; the same error on two lines is one failure.
function compileErrors(output: readonly string[]): readonly Failure[] {
  const errors = new Map<string, { readonly lines: string[]; readonly location: string }>();
  let current: string[] | undefined;
  for (const line of output) {
    const [, file, row, message] = ERROR.exec(line) ?? [];
    if (file !== undefined && message !== undefined) {
      const id = `${file.replace(/^\.\//, "")}: ${message}`;
      const error = errors.get(id) ?? { lines: [], location: `${file.replace(/^\.\//, "")}:${row}` };
      errors.set(id, error);
      current = error.lines;
      if (!current.includes(line)) current.push(line);
    } else if (/^\t+\S/.test(line) && current && current.length < MOST_LINES) current.push(line);
    else current = undefined;
  }
  return [...errors].map(([id, { lines, location }]) => failure({ id, message: lines.join("\n"), location }));
}
