// Runs a coding-agent CLI that a driver describes.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Agent, AgentEvent, AgentRequest, AgentResult, Usage } from "#spec/agent";
import { channel } from "#system/channel";
import { agentEnvironment } from "#system/environment";
import { privateDir, readTail, writePrivate } from "#system/files";
import { type Grace, type ProcessEnd, runProcess } from "#system/processes/process";
import { head, oneLine, plain, tail } from "#text/plain-text";
import { enclosureFor } from "../shared/agent-enclosure.ts";
import { forcedEnding, lastLine, startFailure } from "../shared/agent-ending.ts";
import { filesOf } from "../shared/agent-files.ts";
import { classify } from "../shared/classify-failure.ts";
import type { Ask, Call, Driver, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import { findBlocker } from "../shared/find-blocker.ts";
import { type Prices, withCost } from "../shared/prices.ts";
import { openTranscript } from "../shared/transcript.ts";
import { isLoggedOut } from "./login.ts";

export interface CliOptions {
  /** Overrides name or path of the program. */
  readonly program?: string;
  readonly model?: string;
  readonly permissions?: "auto" | "all";
  /** With auto: shell commands it may run, besides those of the gates. */
  readonly allow?: readonly string[];
  /** The gates' own commands. */
  readonly commands?: readonly string[];
  /** More arguments, after ours. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Names of more environment variables to pass; `PREFIX_*` matches a prefix. */
  readonly passEnv?: readonly string[];
  readonly prices?: Prices;
  readonly grace?: Grace;
}

const MESSAGE_CHARS = 8_000;
const TAIL_BYTES = 65_536;
const MAX_REFUSALS = 20;
const SENTENCE_CHARS = 500;
/** Validates session ids: one becomes an argument of the next call and must not look like an option. */
const SESSION = /^\w[\w.:-]{0,199}$/;

function toAsk(options: CliOptions, request: AgentRequest): Ask {
  const files = filesOf(request);
  return {
    ...(options.model !== undefined && { model: options.model }),
    permissions: options.permissions ?? "auto",
    commands: [...(options.commands ?? []), ...(options.allow ?? [])],
    access: request.access ?? "write",
    ...(request.session !== undefined && { session: request.session }),
    tier: request.isolation?.tier ?? "basic",
    root: process.getuid?.() === 0,
    promptFile: files.prompt,
    ...(fs.existsSync(files.told) && { told: files.told }),
    folder: privateDir(files.settings),
    reports: privateDir(files.report),
    dir: request.dir,
  };
}

/** Creates the state folders, because a strictly isolated CLI cannot. A path with an extension is a file. */
function prepareState(driver: Driver, { isolation }: AgentRequest): void {
  if (isolation?.tier !== "strict") return;
  for (const place of fromHome(driver.state))
    if (path.extname(place) === "" && !fs.existsSync(place)) privateDir(place);
}

const fromHome = (files: readonly string[]) => files.map((file) => path.join(os.homedir(), file));

/** Catches errors of a reader: output is untrusted, and no line of it may end a run. */
function catchErrors(reader: Reader): Reader {
  return {
    line: (line) => {
      try {
        return reader.line(line);
      } catch {
        return [];
      }
    },
    end: (ended) => {
      try {
        return reader.end(ended);
      } catch (error) {
        const reason = `its output could not be read: ${(error as Error).message}`;
        return { message: "", usage: {}, failed: { failure: "crashed", reason } };
      }
    },
  };
}

/** How a call ended: the process, what its output says, and the end of its standard error. */
interface CallEnd {
  readonly end: ProcessEnd;
  readonly report: Report;
  readonly stderr: string;
}

/** Determines why a run failed: by a limit, by the CLI's own report, or by its exit code. */
function failureOf(
  { driver, options, request }: AgentRun,
  { end, report, stderr }: CallEnd,
): Failed | undefined {
  const install = `install it with: ${driver.install}`;
  const program = options.program ?? driver.program;
  const ended = forcedEnding(end, request, driver.title) ?? startFailure(end.exitCode, program, install);
  if (ended) return ended;
  if (report.failed) return withAdvice(driver, report.failed);
  if (end.exitCode === 0) return undefined;
  const reason = `${driver.title} exited with ${end.exitCode ?? "a signal"}${lastLine(stderr)}`;
  const classified = classify(stderr, new Date());
  return classified ? withAdvice(driver, classified) : { failure: "crashed" as const, reason };
}

function withAdvice(driver: Driver, failed: Failed): Failed {
  const words = oneLine(failed.reason, SENTENCE_CHARS);
  const advice = failed.blockedBy === "login" ? `; ${driver.login.how}` : "";
  return { ...failed, reason: `${driver.title}: ${words}${advice}` };
}

function formatShown({ text, tool }: Shown): string {
  const words = plain(text).trimEnd();
  return tool === undefined
    ? `${words}\n`
    : `${head(`> ${oneLine(tool, 100)} ${oneLine(words, 300)}`.trimEnd(), 400)}\n`;
}

interface AgentRun {
  readonly driver: Driver;
  readonly options: CliOptions;
  readonly request: AgentRequest;
  readonly call: Call;
  readonly reader: Reader;
  readonly usageOf: ReturnType<typeof sessionUsage>;
}

/** Unknown with extra arguments, which may name another model than the settings. */
function modelOf({ options, call }: AgentRun, report: Report): string | undefined {
  return report.model ?? options.model ?? (options.args ? undefined : call.model);
}

function usageOf({ driver, request, usageOf }: AgentRun, { usage, sessionId: id }: Report): Usage {
  if (!driver.usageOfSession || id === undefined) return usage;
  return usageOf(usage, { id, resumed: request.session === id });
}

function resultOf(agentRun: AgentRun, end: ProcessEnd): AgentResult {
  const { options, request, reader } = agentRun;
  const files = filesOf(request);
  const stderr = readTail(files.stderr, TAIL_BYTES, end.stderrFrom);
  const stdout = readTail(files.stdout, TAIL_BYTES, end.stdoutFrom);
  const report = reader.end({ exitCode: end.exitCode, stdout, stderr, now: new Date() });
  const failed = failureOf(agentRun, { end, report, stderr });
  const refused = (report.refused ?? []).slice(0, MAX_REFUSALS).map((text) => oneLine(text, SENTENCE_CHARS));
  const model = modelOf(agentRun, report);
  return {
    ok: failed === undefined,
    ...failed,
    ...(refused.length > 0 && { refused }),
    exitCode: end.exitCode,
    message: tail(plain(report.message).trim(), MESSAGE_CHARS),
    usage: withCost(usageOf(agentRun, report), model, options.prices),
    ...(model !== undefined && { model: oneLine(model, 100) }),
    ...(SESSION.test(report.sessionId ?? "") && { sessionId: report.sessionId }),
    durationMs: Math.round(end.durationMs),
    leftBehind: end.leftBehind,
  };
}

const COUNTS = ["inputTokens", "outputTokens", "cachedTokens"] as const;

function difference(total: Usage, before: Usage): Usage {
  return Object.fromEntries(
    COUNTS.flatMap((count) => {
      const now = total[count];
      return now === undefined ? [] : [[count, Math.max(0, now - (before[count] ?? 0))]];
    }),
  );
}

/**
 * Computes the usage of one call for CLIs that report the usage of the whole session. Without the start of a session, the
 * usage of one call is unknown.
 */
function sessionUsage(): (total: Usage, session?: { id: string; resumed: boolean }) => Usage {
  const used = new Map<string, Usage>();
  return (total, session) => {
    const before = session && used.get(session.id);
    if (session && Object.keys(total).length > 0) used.set(session.id, total);
    if (!session?.resumed) return total;
    return before ? difference(total, before) : {};
  };
}

/** Checks program and login; a custom program may log in differently, so its login is not checked. */
function blockerOf(driver: Driver, { program, env = {} }: CliOptions, dir: string): string | undefined {
  const missing = findBlocker([program ?? driver.program], dir, `install it with: ${driver.install}`);
  if (missing !== undefined || program !== undefined) return missing;
  return isLoggedOut(driver, { ...process.env, ...env })
    ? `${driver.title}: not logged in; ${driver.login.how}`
    : undefined;
}

export function cliAgent(driver: Driver, options: CliOptions = {}): Agent {
  const usageOf = sessionUsage();
  return {
    name: driver.name,
    resumes: driver.resumes,
    blocker: (dir) => blockerOf(driver, options, dir),
    async *run(request, signal): AsyncIterable<AgentEvent> {
      const files = filesOf(request);
      // Some CLIs wait for a line break at the end.
      writePrivate(files.prompt, request.prompt.endsWith("\n") ? request.prompt : `${request.prompt}\n`);
      prepareState(driver, request);
      const ask = toAsk(options, request);
      const call = driver.call(ask);
      const reader = catchErrors(driver.reader(ask));
      const transcript = openTranscript(files.transcript);
      const shown = channel<string>();
      const onLine = (line: string) => {
        for (const text of reader.line(line).map(formatShown)) {
          transcript.write(text);
          shown.push(text);
        }
      };
      const ended = runProcess(
        {
          command: [options.program ?? driver.program, ...call.args, ...(options.args ?? [])],
          cwd: request.dir,
          run: request.run,
          base: agentEnvironment(process.env, [...driver.variables, ...(options.passEnv ?? [])]),
          ...enclosureFor(request, {
            reads: [files.prompt, files.settings, ...fromHome(driver.settings)],
            writes: [files.report, ...fromHome(driver.state)],
          }),
          env: { ...call.env, ...options.env },
          ...(driver.stdin && { stdin: files.prompt }),
          stdout: files.stdout,
          stderr: files.stderr,
          timeoutMs: request.timeoutMs,
          ...(request.idleMs !== undefined && { idleMs: request.idleMs }),
          ...(options.grace && { grace: options.grace }),
          onLine,
        },
        signal,
      ).finally(shown.end);
      const agentRun = { driver, options, request, call, reader, usageOf };
      try {
        for await (const text of shown) yield { type: "activity", text };
        yield { type: "finished", result: resultOf(agentRun, await ended) };
      } finally {
        transcript.close();
      }
    },
  };
}
