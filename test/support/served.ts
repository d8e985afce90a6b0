// Starts the HTTP server in this process on a free port with a store on disk, and sends requests with any headers.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type Server, type ServerOptions, startServer } from "#server/server";
import { EVENT_VERSION, type EventBody, type RunEvent } from "#spec/event";
import type { Store } from "#spec/store";
import { type Context, openContext } from "#state/context";
import { newToken } from "#state/server-token";
import { link, origin } from "#stores/chain";
import { openDatabase } from "#system/sqlite";
import { exampleTask, exampleVerdict } from "#testing/run";
import { temporary } from "./folders.ts";

export interface Answered {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape that they expect.
  readonly json: any;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Request body sent as it is, instead of `body` as JSON. */
  readonly raw?: string;
}

export interface Listening {
  /** Everything received so far. */
  text(): string;
  /** Resolves when the stream has sent matching text. */
  until(what: string | RegExp): Promise<void>;
  /** The parsed `data:` field of each event. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape that they expect.
  data(): any[];
  readonly ended: Promise<void>;
  readonly response: http.IncomingMessage;
  close(): void;
}

export interface Served {
  readonly app: Context;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly server: Server;
  readonly token: string;
  readonly warnings: readonly string[];
  /** Requests a path below /api/v1. Sends the token unless the headers override it. */
  ask(path: string, asking?: Asking): Promise<Answered>;
  /** Requests any path with only the given headers. */
  raw(path: string, asking?: Asking): Promise<Answered>;
  listen(path: string, headers?: Readonly<Record<string, string>>): Promise<Listening>;
}

function textOf({ raw, body }: Asking): string | undefined {
  if (raw !== undefined) return raw;
  return body === undefined ? undefined : JSON.stringify(body);
}

function request(port: number, target: string, asking: Asking): Promise<Answered> {
  const { method = "GET", headers = {} } = asking;
  const sent = textOf(asking);
  return new Promise((resolve, reject) => {
    const call = http.request(
      { port, host: "127.0.0.1", path: target, method, headers, agent: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
        response.on("end", () => {
          const { statusCode: status = 0, headers: got } = response;
          const isJson = got["content-type"]?.startsWith("application/json") && text !== "";
          resolve({ status, headers: got, text, json: isJson ? JSON.parse(text) : undefined });
        });
        // An event stream never ends, so the status and headers are enough.
        if (response.headers["content-type"]?.startsWith("text/event-stream")) {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: "", json: undefined });
          response.destroy();
        }
      },
    );
    call.on("error", reject);
    call.end(sent);
  });
}

/** Length kept from earlier chunks: longer than any text that a test searches for. */
const OVERLAP = 1_000;

function listen(port: number, target: string, headers: Readonly<Record<string, string>>): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const call = http.request(
      { port, host: "127.0.0.1", path: target, headers, agent: false },
      (response) => {
        const pieces: string[] = [];
        /** Text not searched yet, plus the overlap. A long stream is not searched twice. */
        let fresh = "";
        const waiting = new Set<() => void>();
        response.setEncoding("utf8").on("data", (piece: string) => {
          pieces.push(piece);
          fresh = fresh.slice(-OVERLAP) + piece;
          for (const look of waiting) look();
        });
        const ended = new Promise<void>((over) => response.once("close", over).on("error", () => {}));
        const text = () => pieces.join("");
        resolve({
          response,
          ended,
          text,
          data: () =>
            text()
              .split("\n\n")
              .flatMap((block) => {
                const line = block.split("\n").find((one) => one.startsWith("data: "));
                return line ? [JSON.parse(line.slice("data: ".length))] : [];
              }),
          until: (what) =>
            new Promise((done, failed) => {
              const look = (where: string) => {
                if (typeof what === "string" ? !where.includes(what) : !what.test(where)) return false;
                waiting.delete(again);
                done();
                return true;
              };
              const again = () => look(fresh);
              if (look(text())) return;
              waiting.add(again);
              void ended.then(() => failed(new Error(`ended before ${what} came:\n${text().slice(-2_000)}`)));
            }),
          close: () => call.destroy(),
        });
        onTestFinished(() => void call.destroy());
      },
    );
    call.on("error", reject);
    call.end();
  });
}

export async function served(options: Partial<ServerOptions> = {}): Promise<Served> {
  const root = temporary();
  const home = path.join(root, "state");
  const config = path.join(root, "config");
  fs.mkdirSync(path.join(config, "converge"), { recursive: true });
  fs.writeFileSync(path.join(config, "converge", "config.yaml"), "isolation: off\n");
  const env = { ...process.env, CONVERGE_HOME: home, XDG_CONFIG_HOME: config };
  const app = openContext(env);
  const token = newToken();
  const warnings: string[] = [];
  const server = await startServer({
    ...{ app, token, port: 0, host: "127.0.0.1", cli: "converge", pollMs: 10 },
    warn: (text) => void warnings.push(text),
    ...options,
  });
  onTestFinished(async () => {
    await server.close();
    await app.store.close();
  });
  const authorization = { authorization: `Bearer ${token}` };
  const json = { "content-type": "application/json" };
  return {
    app,
    home,
    env,
    server,
    token,
    warnings,
    raw: (target, asking = {}) => request(server.port, target, asking),
    ask: (target, asking = {}) =>
      request(server.port, `/api/v1${target}`, {
        ...asking,
        headers: { ...authorization, ...(textOf(asking) !== undefined && json), ...asking.headers },
      }),
    listen: (target, headers = {}) =>
      listen(server.port, `/api/v1${target}`, { ...authorization, ...headers }),
  };
}

/** Events of an active run: run.started, then five for each iteration. */
export function eventsOf(
  run: string,
  iterations: number,
  parts: { minute?: number; dir?: string; prompt?: string } = {},
): RunEvent[] {
  const { minute = 0, dir = `/projects/${run}`, prompt = "Make the tests pass." } = parts;
  const began = Date.UTC(2026, 0, 1, 0, minute);
  const task = exampleTask({ prompt, workspace: { type: "in-place", dir } });
  const bodies: EventBody[] = [
    { type: "run.started", task, taskHash: "0", dir, host: "h", version: "1.2.3" },
    ...Array.from({ length: iterations }, (_, at) => iterationEvents(at + 1)).flat(),
  ];
  return bodies.map((body, at) => ({
    ...body,
    v: EVENT_VERSION,
    run,
    seq: at + 1,
    time: new Date(began + at * 1000).toISOString(),
    elapsedMs: at * 1000,
  }));
}

function iterationEvents(iteration: number): EventBody[] {
  const usage = { inputTokens: 100, outputTokens: 10, costUsd: 0.01 };
  const result = {
    ok: true,
    exitCode: 0,
    message: `done ${iteration}`,
    usage,
    durationMs: 800,
    leftBehind: [],
  };
  const snapshot = { tree: `tree-${iteration}`, changes: [], changeCount: 1, omitted: [] };
  const verdict = exampleVerdict({ score: (iteration % 10) / 10 });
  return [
    { type: "iteration.started", iteration, prompt: "Go on." },
    { type: "agent.finished", iteration, agent: 0, result },
    { type: "snapshot.taken", iteration, snapshot },
    { type: "gate.judged", iteration, gate: "tests", verdict },
    { type: "decision.made", iteration, decision: { continue: true, reason: "on", confidence: 1 } },
  ];
}

/** Like `eventsOf`, for a run that was stopped. */
export function endedEvents(
  run: string,
  iterations: number,
  parts: Parameters<typeof eventsOf>[2] = {},
): RunEvent[] {
  const events = eventsOf(run, iterations, parts);
  const { v, time, elapsedMs } = events.at(-1) as RunEvent;
  const body = {
    type: "run.ended",
    outcome: "stopped",
    reason: "enough",
    iterations,
    partial: false,
  } as const;
  return [...events, { ...body, v, run, seq: events.length + 1, time, elapsedMs }];
}

/** Appends an example run to the store: ended by default, active with `open`. */
export function store(
  { append }: Pick<Store, "append">,
  run: string,
  iterations: number,
  parts: Parameters<typeof eventsOf>[2] & { open?: boolean } = {},
): Promise<void> {
  return append(run, 0, (parts.open ? eventsOf : endedEvents)(run, iterations, parts));
}

/** Inserts many runs in one transaction. The store itself would sync each run to disk. */
export function storeAll(file: string, runs: readonly (readonly RunEvent[])[]): void {
  const database = openDatabase(file);
  try {
    database.exec("BEGIN IMMEDIATE");
    const insertRun = database.prepare("INSERT INTO runs (id, workspace, started_at) VALUES (?, ?, ?)");
    const insert = database.prepare("INSERT INTO events (run, seq, body, hash) VALUES (?, ?, ?, ?)");
    for (const events of runs) {
      let { hash } = origin(events[0]?.run ?? "");
      for (const event of events) {
        if (event.type === "run.started") insertRun.run(event.run, event.task.workspace.dir, event.time);
        const body = JSON.stringify(event);
        hash = link(hash, body);
        insert.run(event.run, event.seq, body, hash);
      }
    }
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}
