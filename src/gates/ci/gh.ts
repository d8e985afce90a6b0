// Sends API requests through `gh`, which has its own token: `gh api` prints status line, headers and body.
import fs from "node:fs";
import path from "node:path";
import { readTail, sizeOf } from "#system/files";
import { isInsideResolved } from "#system/inside";
import { runProcess } from "#system/processes/process";
import { programsNamed } from "#system/which";
import { type ApiResponse, BODY_BYTES, LOG_BYTES, noResponse, type Transport } from "./transport.ts";

const GRACE = { interruptMs: 500, terminateMs: 500 };
/** Exit code of `gh` when nobody is logged in. */
const NOT_LOGGED_IN = 4;

/** Finds `gh` on PATH, but never in the workspace, where an agent could plant a fake one. */
export function findGh(searchPath: string, workspace: string): string | undefined {
  return programsNamed("gh", searchPath).find(
    (file) => ![path.dirname(file), file].some((each) => isInsideResolved(workspace, each)),
  );
}

function parseResponse(output: string): ApiResponse | undefined {
  const [, head = "", status] = /^(HTTP\/[\d.]+ (\d{3})[\s\S]*?\n)\r?\n/.exec(output) ?? [];
  if (status === undefined) return undefined;
  const headers = new Headers();
  for (const line of head.split(/\r?\n/).slice(1)) {
    const [, name, value] = /^([\w-]+): (.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers.append(name, value);
  }
  const body = output.slice(head.length).replace(/^\r?\n/, "");
  return { status: Number(status), body, header: (name) => headers.get(name) ?? undefined };
}

export interface GhPlace {
  readonly program: string;
  readonly run: string;
  /** Folder for its output, outside the workspace. */
  readonly files: string;
}

export function gh({ program, run, files }: GhPlace): Transport {
  const stdout = path.join(files, "gh.stdout");
  const stderr = path.join(files, "gh.stderr");
  return async ({ url, keep, timeoutMs }, signal) => {
    for (const file of [stdout, stderr]) fs.rmSync(file, { force: true });
    // A log is cut to its end, which would lose the headers anyway.
    const include = keep === "all" ? ["--include"] : [];
    const end = await runProcess(
      {
        command: [program, "api", ...include, url.href],
        cwd: files,
        run,
        // Our own environment, not that of the judged files: `gh` finds its login there.
        env: { GH_PROMPT_DISABLED: "1", NO_COLOR: "1", GH_DEBUG: undefined, GH_FORCE_TTY: undefined },
        stdout,
        stderr,
        timeoutMs,
        grace: GRACE,
      },
      signal,
    );
    const tooLarge = keep === "all" && sizeOf(stdout) > BODY_BYTES;
    const printed = readTail(stdout, keep === "end" ? LOG_BYTES : BODY_BYTES);
    const complaint = readTail(stderr, 1_000).trim();
    for (const file of [stdout, stderr]) fs.rmSync(file, { force: true });
    if (tooLarge) return noResponse(`the response is larger than ${BODY_BYTES} bytes`);
    if (end.exitCode === NOT_LOGGED_IN) return { ...noResponse(complaint), status: 401 };
    if (keep === "end" && end.exitCode === 0) return { ...noResponse(printed), status: 200 };
    const parsed = parseResponse(printed);
    if (parsed) return parsed;
    const status = Number(/\(HTTP (\d{3})\)/.exec(complaint)?.[1] ?? 0);
    return { ...noResponse(complaint || `gh ${end.cause}, exit code ${end.exitCode}`), status };
  };
}
