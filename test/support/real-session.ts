// Runs sessions of a real agent CLI with Converge's hooks installed, against the scripted model server.
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
  /** Marks the folder as trusted, for CLIs whose environment does not do so. */
  trust?(dir: string, home: string): void;
  /** Arguments for one headless prompt in a new session, or in the given one. */
  args(prompt: string, session?: string): readonly string[];
  /** Captures the session id in the output. */
  readonly session: RegExp;
  /** Prefix of its commands. */
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
    /** Moves the hooks from the user's settings to the project's. */
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
    /** The only loop; fails when there are more. */
    loop: async () => {
      const [only, ...more] = await asked<Loop>(box, "ls");
      expect(more).toEqual([]);
      return only;
    },
  };
}
