// Any agent that speaks the Agent Client Protocol on its standard input and output.
import type { Agent, AgentEvent, AgentRequest, AgentResult } from "#spec/agent";
import { channel } from "#system/channel";
import { agentEnvironment } from "#system/environment";
import { readTail, writePrivate } from "#system/files";
import { type Grace, type ProcessRequest, runProcess } from "#system/processes/process";
import { oneLine } from "#text/plain-text";
import { enclosureFor } from "../shared/agent-enclosure.ts";
import { filesOf } from "../shared/agent-files.ts";
import { findBlocker } from "../shared/find-blocker.ts";
import { type Prices, priced } from "../shared/prices.ts";
import { openTranscript } from "../shared/transcript.ts";
import { VENDOR_VARIABLES } from "../shared/vendor-variables.ts";
import { converse, type Said } from "./converse.ts";
import { type Ended, failureOf } from "./failure.ts";
import { openLimits } from "./limits.ts";
import { openDesk } from "./permissions.ts";
import { openTelling, type Telling } from "./updates.ts";
import { modelOf, usageOf } from "./usage.ts";
import { openWire } from "./wire.ts";

export interface AcpOptions {
  /** A shell command, or program and arguments. */
  readonly command: string | readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Names of further variables that it sees; `PREFIX_*` stands for all that begin so. */
  readonly passEnv?: readonly string[];
  readonly permissions?: "auto" | "all";
  /** With auto: shell commands it may run, besides those of the gates. */
  readonly allow?: readonly string[];
  /** The gates' own commands. */
  readonly commands?: readonly string[];
  readonly prices?: Prices;
  readonly grace?: Grace;
  /** How long it may take to be ready for the prompt. */
  readonly startMs?: number;
}

/** Short: it is asked to cancel, or its work is done, before any of this begins. */
const GRACE: Grace = { interruptMs: 1_000, terminateMs: 1_000 };
const START_MS = 120_000;
const TAIL_BYTES = 65_536;

/** What is run, in what surroundings; its time is kept by us, because it is asked before it is ended. */
function processFor(options: AcpOptions, request: AgentRequest): ProcessRequest {
  const { stdout, stderr } = filesOf(request);
  return {
    command: options.command,
    cwd: request.dir,
    run: request.run,
    base: agentEnvironment(process.env, [...VENDOR_VARIABLES, ...(options.passEnv ?? [])]),
    ...enclosureFor(request, { reads: [], writes: [] }),
    env: { ...options.env, CONVERGE_ITERATION: String(request.iteration) },
    stdout,
    stderr,
    timeoutMs: Number.POSITIVE_INFINITY,
    grace: options.grace ?? GRACE,
  };
}

function resultOf(
  ended: Ended,
  request: AgentRequest,
  telling: Telling,
  shown: string,
  prices?: Prices,
): AgentResult {
  const { said, end, refused } = ended;
  const failed = failureOf(ended, request, shown);
  const answer = said.how === "answered" ? said.answer : undefined;
  const model = modelOf(said.opened, answer);
  // The agent tells of the whole session: that is this turn only in one that is new.
  const told = request.session === undefined ? telling.cost() : undefined;
  return {
    ok: failed === undefined,
    ...failed,
    ...(refused.length > 0 && { refused: [...refused] }),
    exitCode: end.exitCode,
    message: telling.message(),
    usage: priced({ ...usageOf(answer), ...(told !== undefined && { costUsd: told }) }, model, prices),
    ...(model !== undefined && { model: oneLine(model, 100) }),
    ...(said.session !== undefined && { sessionId: said.session }),
    durationMs: Math.round(end.durationMs),
    leftBehind: end.leftBehind,
  };
}

/** One turn: the process runs for as long as the conversation does. */
async function turn(
  options: AcpOptions,
  request: AgentRequest,
  signal: AbortSignal,
  telling: Telling,
): Promise<Ended> {
  const limits = openLimits(request, signal);
  const wire = openWire(telling.update);
  const desk = openDesk({
    policy: {
      permissions: options.permissions ?? "auto",
      commands: [...(options.commands ?? []), ...(options.allow ?? [])],
      access: request.access ?? "write",
      dir: request.dir,
    },
    toolOf: telling.tool,
    isStopped: () => limits.stopped() !== undefined,
    onRefused: telling.note,
  });
  const process = runProcess(
    { ...processFor(options, request), onStarted: wire.open, onLine: wire.line, onOutput: limits.heard },
    limits.process,
  ).finally(wire.end);
  try {
    const said: Said = await converse(wire.stream, {
      request,
      startMs: options.startMs ?? START_MS,
      permit: desk.answer,
      onPrompt: (session, cancel) => {
        telling.begin(session);
        limits.onStop(cancel);
      },
    });
    wire.hangUp();
    limits.over();
    const end = await process;
    return {
      said,
      end,
      stopped: limits.stopped(),
      refused: desk.refused,
      stderr: readTail(filesOf(request).stderr, TAIL_BYTES, end.stderrFrom),
      rubbish: wire.rubbish(),
      isFlooded: wire.flooded(),
    };
  } finally {
    limits.close();
  }
}

export function acp(options: AcpOptions): Agent {
  const shown = typeof options.command === "string" ? options.command : options.command.join(" ");
  return {
    name: shown,
    blocker: (dir) => findBlocker(options.command, dir, "install it, or correct the agent's command"),
    // Whether it really can is known only when it has been asked: one that cannot is blocked, and says so.
    resumes: true,
    async *run(request, signal): AsyncIterable<AgentEvent> {
      const files = filesOf(request);
      writePrivate(files.prompt, request.prompt);
      const transcript = openTranscript(files.transcript);
      const activity = channel<string>();
      const telling = openTelling((text) => {
        transcript.write(text);
        activity.push(text);
      });
      const ended = turn(options, request, signal, telling).finally(activity.end);
      try {
        for await (const text of activity) yield { type: "activity", text };
        const result = resultOf(await ended, request, telling, shown, options.prices);
        yield { type: "finished", result };
      } finally {
        transcript.close();
      }
    },
  };
}
