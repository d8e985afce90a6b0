// Runs any agent that speaks the Agent Client Protocol (ACP) on standard input and output.
import * as z from "zod";
import { dropUndefined } from "#options/option";
import { defineAgent } from "#options/part";
import { program } from "#options/part-options";
import type { Agent, AgentEvent, AgentRequest, AgentResult } from "#spec/agent";
import { channel } from "#system/channel";
import { agentEnvironment } from "#system/environment";
import { readTail, writePrivate } from "#system/files";
import { type Grace, type ProcessRequest, runProcess } from "#system/processes/process";
import { oneLine } from "#text/plain-text";
import { enclosureFor } from "../shared/agent-enclosure.ts";
import { filesOf } from "../shared/agent-files.ts";
import { permissionOptions, processOptions } from "../shared/agent-options.ts";
import { findBlocker } from "../shared/find-blocker.ts";
import { type Prices, withCost } from "../shared/prices.ts";
import { openTranscript } from "../shared/transcript.ts";
import { VENDOR_VARIABLES } from "../shared/vendor-variables.ts";
import { converse, type TurnOutcome } from "./converse.ts";
import { failureOf, type TurnEnd } from "./failure.ts";
import { openLimits } from "./limits.ts";
import { openPermissions } from "./permissions.ts";
import { openUpdates, type Updates } from "./updates.ts";
import { modelOf, usageOf } from "./usage.ts";
import { openWire } from "./wire.ts";

export interface AcpOptions {
  /** A shell command, or program and arguments. */
  readonly command: string | readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Names of more environment variables to pass; `PREFIX_*` matches a prefix. */
  readonly passEnv?: readonly string[];
  readonly permissions?: "auto" | "all";
  /** With auto: shell commands it may run, besides those of the gates. */
  readonly allow?: readonly string[];
  /** The gates' own commands. */
  readonly commands?: readonly string[];
  readonly prices?: Prices;
  readonly grace?: Grace;
  /** Timeout until the agent is ready for the prompt. */
  readonly startMs?: number;
}

/** Short, because the agent was asked to cancel before, or is done. */
const GRACE: Grace = { interruptMs: 1_000, terminateMs: 1_000 };
const START_MS = 120_000;
const TAIL_BYTES = 65_536;

/** The process to run. It has no timeout of its own, because we ask the agent to cancel before we kill it. */
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

/** One request to the agent. */
interface AgentTurn {
  readonly options: AcpOptions;
  readonly request: AgentRequest;
  readonly updates: Updates;
}

function resultOf({ options, request, updates }: AgentTurn, ended: TurnEnd): AgentResult {
  const { outcome, end, refused } = ended;
  const failure = failureOf(ended, request, commandText(options));
  const answer = outcome.how === "answered" ? outcome.answer : undefined;
  const model = modelOf(outcome.opened, answer);
  // The agent reports the cost of the whole session, which is the cost of this turn only in a new session.
  const reportedCost = request.session === undefined ? updates.cost() : undefined;
  return {
    ok: failure === undefined,
    ...failure,
    ...(refused.length > 0 && { refused: [...refused] }),
    exitCode: end.exitCode,
    message: updates.message(),
    usage: withCost(
      { ...usageOf(answer), ...(reportedCost !== undefined && { costUsd: reportedCost }) },
      model,
      options.prices,
    ),
    ...(model !== undefined && { model: oneLine(model, 100) }),
    ...(outcome.session !== undefined && { sessionId: outcome.session }),
    durationMs: Math.round(end.durationMs),
    leftBehind: end.leftBehind,
  };
}

/** Runs one turn: the process lives as long as the conversation. */
async function runTurn({ options, request, updates }: AgentTurn, signal: AbortSignal): Promise<TurnEnd> {
  const limits = openLimits(request, signal);
  const wire = openWire(updates.update);
  const permissions = openPermissions({
    policy: {
      permissions: options.permissions ?? "auto",
      commands: [...(options.commands ?? []), ...(options.allow ?? [])],
      access: request.access ?? "write",
      dir: request.dir,
    },
    toolOf: updates.tool,
    isStopped: () => limits.stopped() !== undefined,
    onRefused: updates.note,
  });
  const process = runProcess(
    { ...processFor(options, request), onStarted: wire.open, onLine: wire.line, onOutput: limits.heard },
    limits.process,
  ).finally(wire.end);
  try {
    const outcome: TurnOutcome = await converse(wire.stream, {
      request,
      startMs: options.startMs ?? START_MS,
      permit: permissions.answer,
      onPrompt: (session, cancel) => {
        updates.begin(session);
        limits.onStop(cancel);
      },
    });
    wire.hangUp();
    limits.over();
    const end = await process;
    return {
      outcome,
      end,
      stopped: limits.stopped(),
      refused: permissions.refused,
      stderr: readTail(filesOf(request).stderr, TAIL_BYTES, end.stderrFrom),
      rubbish: wire.rubbish(),
      isFlooded: wire.isFlooded(),
    };
  } finally {
    limits.close();
  }
}

function commandText({ command }: AcpOptions): string {
  return typeof command === "string" ? command : command.join(" ");
}

export function acp(options: AcpOptions): Agent {
  return {
    name: commandText(options),
    blocker: (dir) => findBlocker(options.command, dir, "install it, or correct the agent's command"),
    // Assumed until the agent is asked: one that cannot resume is reported as blocked.
    resumes: true,
    async *run(request, signal): AsyncIterable<AgentEvent> {
      const files = filesOf(request);
      writePrivate(files.prompt, request.prompt);
      const transcript = openTranscript(files.transcript);
      const activity = channel<string>();
      const updates = openUpdates((text) => {
        transcript.write(text);
        activity.push(text);
      });
      const turn = { options, request, updates };
      const ended = runTurn(turn, signal).finally(activity.end);
      try {
        for await (const text of activity) yield { type: "activity", text };
        yield { type: "finished", result: resultOf(turn, await ended) };
      } finally {
        transcript.close();
      }
    },
  };
}

export const acpAgent = defineAgent({
  type: "acp",
  summary: "Runs any agent that speaks the Agent Client Protocol.",
  options: z.strictObject({ command: program, ...permissionOptions, ...processOptions }),
  create: (options, { commands, prices }) => acp({ ...dropUndefined(options), commands, prices }),
});
