// Runs any command as an agent: the prompt on standard input and in a file, success by exit code.
import fs from "node:fs";
import path from "node:path";
import * as z from "zod";
import { dropUndefined } from "#options/option";
import { defineAgent, describeCommand } from "#options/part";
import { program } from "#options/part-options";
import type { Agent, AgentEvent, AgentRequest, AgentResult } from "#spec/agent";
import { channel } from "#system/channel";
import { agentEnvironment } from "#system/environment";
import { privateDir, readTail, writePrivate } from "#system/files";
import { type Grace, type ProcessEnd, runProcess } from "#system/processes/process";
import { plain, tail } from "#text/plain-text";
import { enclosureFor } from "./shared/agent-enclosure.ts";
import { type Ending, forcedEnding, lastLine, startFailure } from "./shared/agent-ending.ts";
import { filesOf } from "./shared/agent-files.ts";
import { processOptions } from "./shared/agent-options.ts";
import { findBlocker } from "./shared/find-blocker.ts";
import { readUsage } from "./shared/usage-file.ts";
import { VENDOR_VARIABLES } from "./shared/vendor-variables.ts";

export interface CommandAgentOptions {
  /** A shell command, or program and arguments. */
  readonly command: string | readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Names of more environment variables to pass; `PREFIX_*` matches a prefix. */
  readonly passEnv?: readonly string[];
  /** Grace periods after a stop signal. */
  readonly grace?: Grace;
}

const REMEDY = "install it, or correct the agent's command";
const MESSAGE_CHARS = 8_000;
const MESSAGE_BYTES = 65_536;

// Exit codes of sysexits.h with which a script can report a specific failure.
const TEMPORARY_FAILURE = 75;
const NO_PERMISSION = 77;

function failureOf(end: ProcessEnd, request: AgentRequest, shown: string): Ending | undefined {
  return forcedEnding(end, request, shown) ?? exitFailure(end.exitCode, shown);
}

function exitFailure(code: number | null, shown: string): Ending | undefined {
  if (code === 0) return undefined;
  if (code === TEMPORARY_FAILURE)
    return { failure: "rate-limited", reason: `${shown} asked to be run again later (exit 75)` };
  if (code === NO_PERMISSION)
    return { failure: "blocked", reason: `${shown} may not work (exit 77: no permission)` };
  return (
    startFailure(code, shown, REMEDY) ?? {
      failure: "crashed",
      reason: `${shown} exited with ${code ?? "a signal"}`,
    }
  );
}

const usageFile = (report: string) => path.join(report, "usage.json");

function resultOf(end: ProcessEnd, request: AgentRequest, shown: string): AgentResult {
  const files = filesOf(request);
  const failed = failureOf(end, request, shown);
  const stderr = readTail(files.stderr, MESSAGE_BYTES, end.stderrFrom);
  return {
    ok: failed === undefined,
    ...(failed && { failure: failed.failure, reason: failed.reason + lastLine(stderr) }),
    exitCode: end.exitCode,
    message: tail(plain(readTail(files.stdout, MESSAGE_BYTES, end.stdoutFrom)).trim(), MESSAGE_CHARS),
    usage: readUsage(usageFile(files.report)),
    durationMs: Math.round(end.durationMs),
    leftBehind: end.leftBehind,
  };
}

export function command(options: CommandAgentOptions): Agent {
  const shown = typeof options.command === "string" ? options.command : options.command.join(" ");
  return {
    name: shown,
    blocker: (dir) => findBlocker(options.command, dir, REMEDY),
    async *run(request, signal): AsyncIterable<AgentEvent> {
      const files = filesOf(request);
      writePrivate(files.prompt, request.prompt);
      fs.rmSync(files.report, { recursive: true, force: true });
      privateDir(files.report);
      const output = channel<string>();
      const ended = runProcess(
        {
          command: options.command,
          cwd: request.dir,
          run: request.run,
          base: agentEnvironment(process.env, [...VENDOR_VARIABLES, ...(options.passEnv ?? [])]),
          ...enclosureFor(request, { reads: [files.prompt], writes: [files.report] }),
          env: {
            ...options.env,
            CONVERGE_ITERATION: String(request.iteration),
            CONVERGE_PROMPT_FILE: files.prompt,
            CONVERGE_USAGE_FILE: usageFile(files.report),
          },
          stdin: files.prompt,
          stdout: files.stdout,
          stderr: files.stderr,
          timeoutMs: request.timeoutMs,
          ...(request.idleMs !== undefined && { idleMs: request.idleMs }),
          ...(options.grace && { grace: options.grace }),
          onOutput: output.push,
        },
        signal,
      ).finally(output.end);
      for await (const text of output) yield { type: "activity", text };
      yield { type: "finished", result: resultOf(await ended, request, shown) };
    },
  };
}

export const commandAgent = defineAgent({
  type: "command",
  summary: "Runs any command as the agent, with the prompt on standard input.",
  options: z.strictObject({ command: program, ...processOptions }),
  helper: describeCommand,
  create: (options) => command(dropUndefined(options)),
});
