// Starts the real `converge serve` on a free port for browser tests.
import type { ChildProcess } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { Overview, Summary } from "#spec/overview";
import type { Sandbox } from "./sandbox.ts";
import { waitFor } from "./wait.ts";

export interface Serving {
  readonly child: ChildProcess;
  readonly port: number;
  readonly url: string;
  /** Login link, valid once. */
  readonly link: string;
  /** Requests another login link. */
  newLink(): Promise<string>;
  /** Calls the API with the token. */
  ask<T>(route: string, body?: object): Promise<T>;
  /** The newest run. */
  newest(): Promise<Overview>;
}

async function stopAll(ask: Serving["ask"]): Promise<void> {
  const working = () => ask<{ runs: Summary[] }>("/runs?state=running,waiting&limit=100");
  const { runs } = await working();
  await Promise.all(runs.map(({ id }) => ask(`/runs/${id}/stop`, {})));
  while ((await ask<{ total: number }>("/runs?state=running&limit=1")).total > 0);
}

export async function serving(box: Pick<Sandbox, "start" | "home">, port = 0): Promise<Serving> {
  const { child } = box.start(["serve", "--port", String(port)]);
  let printed = "";
  child.stdout?.on("data", (text: string) => {
    printed += text;
  });
  await waitFor(() => /#key=\S+/.test(printed) || child.exitCode !== null);
  const [link = "", url = ""] = /(http:\S+)\/#key=\S+/.exec(printed) ?? [];
  const token = fs.readFileSync(path.join(box.home, "server", "token"), "utf8").trim();
  const ask = async <T>(route: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
    const response = await fetch(`${url}/api/v1${route}`, sent);
    const answer = (await response.json()) as T;
    if (!response.ok) throw new Error(`${route}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  // The server starts each run in a separate process. A failed test must not leave one behind.
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) await stopAll(ask);
  });
  const newest = async () => {
    const { runs } = await ask<{ runs: Summary[] }>("/runs?limit=1");
    return ask<Overview>(`/runs/${runs[0]?.id}`);
  };
  const newLink = async () => (await ask<{ link: string }>("/session/links", {})).link;
  return { child, newLink, port: Number(new URL(url).port), url, link, ask, newest };
}
