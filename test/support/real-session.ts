// A folder in which the sessions of a real agent CLI have Converge's hooks, with the scripted model behind them.
import { spawn } from "node:child_process";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Installed, Place } from "#hooks/install/place";
import { temporary } from "./folders.ts";
import type { Script } from "./model-server/script.ts";
import { startModelServer } from "./model-server/server.ts";
import { type AgentName, type Environment, realAgents } from "./real-agents.ts";
import { asked } from "./run-task.ts";
import { sandbox } from "./sandbox.ts";

export interface SessionHost {
  readonly name: AgentName;
  install(place: Place): Installed;
  uninstall(place: Place): Installed;
  /** Has the user trust the folder, where its environment does not say so already. */
  trust?(dir: string, home: string): void;
  /** One prompt of a session, a new one or the one of that name, headless. */
  args(prompt: string, session?: string): readonly string[];
  /** The session's name in what was printed. */
  readonly session: RegExp;
  /** What its commands begin with. */
  readonly sign: "/" | "$";
  readonly env?: Environment;
}

export interface Said {
  readonly code: number | null;
  readonly output: string;
  readonly session: string;
}

interface Loop {
  readonly run: string;
  readonly state: string;
  readonly reason: string;
  readonly iterations: number;
  readonly prompt: string;
}

export async function realSessions(host: SessionHost, script: Script) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const box = sandbox();
  const own = realAgents[host.name].world(server, temporary(), { retries: 0 });
  const config = path.join(path.dirname(box.home), "config");
  const env = { ...own, CONVERGE_HOME: box.home, XDG_CONFIG_HOME: config, ...host.env };
  const place = (scope: Place["scope"]): Place => ({ scope, dir: box.dir, env });
  host.install(place("user"));

  const start = (args: readonly string[]) =>
    new Promise<Said>((resolve, reject) => {
      const child = spawn(host.name, args, { cwd: box.dir, env, stdio: ["ignore", "pipe", "pipe"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (text: string) => {
          output += text;
        });
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, output, session: host.session.exec(output)?.[1] ?? "" }));
    });

  return {
    box,
    /** The hooks move from the user's settings to those of the folder. */
    moveToProject: () => {
      host.uninstall(place("user"));
      host.install(place("project"));
    },
    trust: () => host.trust?.(box.dir, own.HOME ?? ""),
    /** Requests to the model that used up a turn of the script. */
    requests: () => server.asked.filter(({ turn }) => turn !== undefined),
    say: (prompt: string, session?: string) => start(host.args(prompt, session)),
    start,
    /** The session loops, newest first. */
    loops: () => asked<Loop>(box, "ls"),
    /** The one loop that there is. */
    loop: async () => {
      const [only, ...more] = await asked<Loop>(box, "ls");
      expect(more).toEqual([]);
      return only;
    },
  };
}
