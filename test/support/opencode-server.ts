// Runs the real `opencode serve` with the plugin in a temporary project, with the actions and output of a user.
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { ModelServer } from "./model-server/server.ts";
import { type Environment, realAgents } from "./real-agents.ts";
import { waitFor } from "./wait.ts";

export interface Toast {
  readonly title: string;
  readonly message: string;
  readonly variant: string;
}

export interface OpencodeMessage {
  readonly info: { readonly role: string; readonly agent?: string; readonly finish?: string };
  readonly parts: readonly { readonly type: string; readonly text?: string }[];
}

interface Permission {
  readonly id: string;
  readonly sessionID: string;
}

export interface OpencodeServer {
  readonly project: string;
  /** The server's environment. */
  readonly env: Environment;
  /** All toasts since the first start of the server. */
  readonly toasts: readonly Toast[];
  session(): Promise<string>;
  /** Runs a command and its turn, and returns the HTTP status. */
  command(session: string, command: string, text?: string, more?: object): Promise<number>;
  prompt(session: string, text: string): Promise<void>;
  abort(session: string): Promise<void>;
  remove(session: string): Promise<void>;
  messages(session: string): Promise<OpencodeMessage[]>;
  /** User messages of the session, in order. */
  prompts(session: string): Promise<string[]>;
  /** Waits until the session is busy, in a retry, or idle (`undefined`). */
  status(session: string, status: "busy" | "retry" | undefined): Promise<void>;
  /** Waits for a permission request of the session and rejects it. */
  refuse(session: string): Promise<void>;
  /** Waits until the last message of the session matches. */
  last(session: string, isIt: (message: OpencodeMessage) => boolean): Promise<void>;
  /** Waits for a toast about a run. */
  toast(title: string, run: string): Promise<Toast>;
  /** Kills the process group with SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Blocks npm, because opencode installs a package into every folder with plugins. */
const OFFLINE = { npm_config_registry: "http://127.0.0.1:1", npm_config_fetch_retries: "0" };

const PATIENCE_MS = 120_000;
const LOG_CHARS = 20_000;

interface Setting {
  /** Folder for the project, settings, state and log of this server. */
  readonly root: string;
  readonly model: ModelServer;
  readonly config?: object;
}

/** Polls at a longer interval, because each check is a request to the server. */
async function waitForServer(condition: () => Promise<boolean>): Promise<void> {
  await waitFor(condition, { everyMs: 100 });
}

async function listening(child: ChildProcess, log: string): Promise<string> {
  let stdout = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  await waitFor(() => /listening on http\S+\s/.test(stdout) || child.exitCode !== null);
  const url = /listening on (http\S+)/.exec(stdout)?.[1];
  if (url === undefined) throw new Error(`opencode did not start: ${fs.readFileSync(log, "utf8")}`);
  return url;
}

/** Passes each event of the stream to `hear` until the connection ends. */
async function follow(
  url: string,
  hear: (event: { type: string; properties: unknown }) => void,
): Promise<void> {
  const { body } = await fetch(`${url}/event`);
  let rest = "";
  const read = async () => {
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = `${rest}${piece}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("data: ")) hear(JSON.parse(line.slice(6)));
    }
  };
  // The stream ends with the server.
  read().catch(() => {});
}

export async function startOpencode({ root, model, config }: Setting): Promise<OpencodeServer> {
  const project = path.join(root, "project");
  const log = path.join(root, "opencode.log");
  fs.mkdirSync(project, { recursive: true });
  if (config) fs.writeFileSync(path.join(project, "opencode.json"), JSON.stringify(config));
  const world = realAgents.opencode.world(model, root);
  const env = { ...world, ...OFFLINE, CONVERGE_HOME: path.join(root, "state") };
  const toasts: Toast[] = [];
  const permissions: Permission[] = [];
  let child: ChildProcess | undefined;
  let url = "";

  const ask = async (method: string, at: string, body?: object) => {
    const answer = await fetch(`${url}${at}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, json: text === "" ? undefined : JSON.parse(text) };
  };
  const start = async () => {
    const stderr = fs.openSync(log, "a");
    child = spawn("opencode", ["serve", "--port", "0", "--print-logs"], {
      cwd: project,
      env,
      stdio: ["ignore", "pipe", stderr],
      detached: true,
    });
    fs.closeSync(stderr);
    url = await listening(child, log);
    await follow(url, ({ type, properties }) => {
      if (type === "tui.toast.show") toasts.push(properties as Toast);
      if (type === "permission.asked") permissions.push(properties as Permission);
    });
  };
  const kill = async () => {
    const gone = child;
    if (gone?.pid === undefined || gone.exitCode !== null || gone.signalCode !== null) return;
    // The negative PID addresses the whole process group.
    process.kill(-gone.pid, "SIGKILL");
    await waitFor(() => gone.signalCode !== null);
  };
  const messages = async (session: string): Promise<OpencodeMessage[]> =>
    (await ask("GET", `/session/${session}/message`)).json;
  await start();

  return {
    project,
    env,
    toasts,
    start,
    kill,
    messages,
    session: async () => (await ask("POST", "/session", {})).json.id,
    command: async (session, command, text = "", more = {}) =>
      (await ask("POST", `/session/${session}/command`, { command, arguments: text, ...more })).status,
    prompt: async (session, text) =>
      void (await ask("POST", `/session/${session}/prompt_async`, { parts: [{ type: "text", text }] })),
    abort: async (session) => void (await ask("POST", `/session/${session}/abort`)),
    remove: async (session) => void (await ask("DELETE", `/session/${session}`)),
    prompts: async (session) =>
      (await messages(session))
        .filter(({ info }) => info.role === "user")
        .map(({ parts }) => parts.map(({ text = "" }) => text).join("")),
    status: (session, status) =>
      waitForServer(async () => (await ask("GET", "/session/status")).json[session]?.type === status),
    refuse: async (session) => {
      const wanted = () => permissions.find(({ sessionID }) => sessionID === session);
      await waitFor(() => wanted() !== undefined);
      await ask("POST", `/session/${session}/permissions/${wanted()?.id}`, { response: "reject" });
    },
    last: (session, isIt) => waitForServer(async () => (await messages(session)).slice(-1).some(isIt)),
    toast: async (title, run) => {
      const seen = () => toasts.find((toast) => toast.title === title && toast.message.includes(run));
      const began = Date.now();
      await waitFor(() => seen() !== undefined || Date.now() - began > PATIENCE_MS);
      const shown = seen();
      if (shown) return shown;
      const about = toasts.filter(({ message }) => message.includes(run));
      throw new Error(
        `no toast "${title}" about run ${run} in ${PATIENCE_MS / 1000} s, but ${JSON.stringify(about)}; opencode says:\n${fs.readFileSync(log, "utf8").slice(-LOG_CHARS)}`,
      );
    },
  };
}
