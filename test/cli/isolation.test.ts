// Isolation tiers: which tier is in force, how it is shown, and when a run is refused because it is too low.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { converge, UsageError } from "../../src/index.ts";
import { beside, runIds } from "../support/observe.ts";
import { taskFile } from "../support/run-task.ts";
import { ofType, type Sandbox, sandbox } from "../support/sandbox.ts";

const LOOKS = 'ls -A "$STATE" > seen 2>&1; echo $$ > pid; touch done';
const TASK = {
  agent: { type: "command", command: LOOKS, passEnv: ["STATE"] },
  gates: [{ name: "done", command: "test -f done" }],
};

function prepared(task: object = {}): Sandbox {
  const box = sandbox();
  box.isolate("auto");
  box.write(taskFile({ ...TASK, ...task }));
  return box;
}

const run = (box: Sandbox, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  box.start(["run", ...args], { STATE: box.home, ...env }).answer;

/** A PATH with every program except one. */
function pathWithout(box: Sandbox, program: string): string {
  const bin = beside(box).place("bin");
  fs.mkdirSync(bin);
  // Skips dangling symlinks.
  for (const folder of (process.env.PATH ?? "").split(":").filter((each) => fs.existsSync(each)))
    for (const name of fs.readdirSync(folder))
      if (name !== program && !fs.existsSync(path.join(bin, name)) && fs.existsSync(path.join(folder, name)))
        fs.symlinkSync(path.join(folder, name), path.join(bin, name));
  return bin;
}

describe("isolation by default", () => {
  it("contains the agent with bwrap: hides the state folder and shows the tier", async () => {
    const box = prepared();
    const { code, stdout } = await run(box);
    expect(code).toBe(0);
    expect(stdout).toContain("isolation contained (bwrap)");
    expect(box.read("seen")).not.toContain("converge.db");
    expect(Number(box.read("pid"))).toBeLessThan(10);
    const events = await box.events();
    expect(ofType(events, "run.started")[0]?.isolation).toEqual({ tier: "contained", by: "bwrap" });
    expect(ofType(events, "agent.finished")[0]?.isolation).toBe("contained");
    const shown = await box.converge("show");
    expect(shown.stdout).toMatch(/isolation +contained \(bwrap\)/);
  });

  it("hides the state folder from an agent in a worktree too", async () => {
    const box = prepared({ workspace: "worktree" });
    box.commitAll();
    const { code } = await run(box);
    expect(code).toBe(0);
    const [started] = ofType(await box.events(), "run.started");
    expect(fs.readFileSync(path.join(started?.dir ?? "", "seen"), "utf8")).toBe("runs\nworktrees\n");
  });

  it("falls back to basic without bwrap and says why", async () => {
    const box = prepared();
    const { code, stdout } = await run(box, [], { PATH: pathWithout(box, "bwrap") });
    expect(code).toBe(0);
    expect(stdout).toContain("isolation basic: bwrap is not installed");
    expect(box.read("seen")).toContain("converge.db");
  });

  it("falls back to basic when bwrap does not work and says why", async () => {
    const box = prepared();
    const bin = pathWithout(box, "bwrap");
    fs.writeFileSync(
      path.join(bin, "bwrap"),
      "#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n",
      {
        mode: 0o755,
      },
    );
    const { stdout } = await run(box, [], { PATH: bin });
    // The message may wrap over several lines.
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "isolation basic: bwrap does not work here (No permissions to create new namespace)",
    );
  });

  it("is basic when switched off", async () => {
    const box = prepared();
    const { stdout } = await run(box, ["--isolation", "off"]);
    expect(stdout).toContain("isolation basic: switched off");
    expect(box.read("seen")).toContain("converge.db");
  });
});

describe("strict", () => {
  it("allows writes only in the workspace and in the writable folders", async () => {
    const box = sandbox();
    const out = beside(box);
    fs.mkdirSync(out.place("cache"));
    const command = `echo x > ${out.place("outside")}; echo y > ${out.place("cache/y")}; touch done`;
    box.write(
      taskFile({
        ...TASK,
        agent: { type: "command", command },
        isolation: { type: "strict", network: "off", writable: ["../cache"] },
      }),
    );
    const { code, stdout } = await run(box);
    expect(code).toBe(0);
    expect(stdout).toMatch(/isolation strict\s+\(bwrap\)/);
    expect([out.exists("outside"), out.read("cache/y")]).toEqual([false, "y\n"]);
  });

  it.each([
    ["strict", "bwrap", "apt install bubblewrap"],
    ["runtime", "srt", "npm install -g @anthropic-ai/sandbox-runtime"],
  ])("refuses %s without %s, says how to install it and writes nothing", async (type, program, advice) => {
    const box = prepared();
    const { code, stderr } = await run(box, ["--isolation", type], { PATH: pathWithout(box, program) });
    expect(code).toBe(2);
    expect(stderr).toContain(`isolation: ${type} needs ${program}, and ${program} is not installed`);
    expect(stderr).toContain(advice);
    expect(fs.existsSync(box.home)).toBe(false);
  });

  it.each(["network: off", "writable: [x]"])(
    "refuses %s without isolation strict or runtime when the task is read",
    async (option) => {
      const box = sandbox();
      box.write({
        "converge.yaml": `prompt: Do it.\nagent: {type: command, command: 'true'}\nisolation: {${option}}\n`,
      });
      const { code, stderr } = await box.converge("validate");
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /isolation\.(network: off|writable) needs isolation type strict or runtime, got (auto|off)/,
      );
    },
  );
});

describe("runtime", () => {
  /** A stand-in for srt that saves its settings and runs the command. */
  const SRT = `#!/bin/sh
if [ "$1" = -c ]; then exit 0; fi
cp "$2" "$SETTINGS_COPY"
shift 3
exec "$@"
`;

  function withSrt(hosts?: readonly string[]) {
    const box = prepared({ agent: { ...TASK.agent, passEnv: ["STATE", "SETTINGS_COPY"] } });
    const place = beside(box);
    for (const name of ["srt-bin", "person"]) fs.mkdirSync(place.place(name));
    fs.writeFileSync(place.place("srt-bin/srt"), SRT, { mode: 0o755 });
    const own = { network: { allowedDomains: hosts, deniedDomains: [] } };
    if (hosts) fs.writeFileSync(place.place("person/.srt-settings.json"), JSON.stringify(own));
    const env = {
      PATH: `${place.place("srt-bin")}:${process.env.PATH}`,
      HOME: place.place("person"),
      SETTINGS_COPY: place.place("settings"),
    };
    return { box, env, settings: () => JSON.parse(place.read("settings")) };
  }

  it("passes our filesystem rules and the user's hosts to srt", async () => {
    const { box, env, settings } = withSrt(["api.example.com"]);
    const { code, stdout } = await run(box, ["--isolation", "runtime"], env);
    expect(code).toBe(0);
    expect(stdout).toContain("isolation strict (srt)");
    const { network, filesystem } = settings();
    expect(network).toEqual({ allowedDomains: ["api.example.com"], deniedDomains: [] });
    expect(filesystem.denyRead).toEqual([box.home]);
    expect(filesystem.allowWrite).toContain(box.dir);
    expect(filesystem.denyWrite).toEqual([
      expect.stringMatching(/prompt\.md$/),
      expect.stringMatching(/told$/),
    ]);
  });

  it("refuses an empty list of hosts, because the agent could not reach its model", async () => {
    const { box, env } = withSrt();
    const { code, stderr } = await run(box, ["--isolation", "runtime"], env);
    expect(code).toBe(2);
    expect(stderr).toContain("under network.allowedDomains, and it names none");
  });
});

describe("--require-isolation", () => {
  it("accepts the tier that is in force", async () => {
    const { code } = await run(prepared(), ["--require-isolation"]);
    expect(code).toBe(0);
  });

  it.each([
    [
      ["--require-isolation"],
      true,
      "isolation contained is required, and there is only basic (bwrap is not installed)",
    ],
    [["--require-isolation", "strict"], false, "isolation strict is required, and there is only contained"],
    [
      ["--require-isolation", "--isolation", "off"],
      false,
      "isolation contained is required, and there is only basic (switched off)",
    ],
  ] as const)("refuses a lower tier: %s", async (args, without, words) => {
    const box = prepared();
    const { code, stderr } = await run(box, args, without ? { PATH: pathWithout(box, "bwrap") } : {});
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(await runIds(box)).toEqual([]);
  });

  it("applies to the SDK as well", async () => {
    const box = prepared();
    await expect(
      converge(
        { ...TASK, prompt: "Do it.", isolation: { type: "off", require: "contained" } },
        { cwd: box.dir, home: box.home },
      ),
    ).rejects.toThrow(UsageError);
    expect(await runIds(box)).toEqual([]);
  });
});

describe("the environment of an agent", () => {
  const agent = (passEnv: readonly string[]) => ({
    type: "command",
    command: 'echo "$GIVEN|$HIDDEN|$OPENAI_API_KEY|$NODE_OPTIONS|$CONVERGE_HOME" > seen; touch done',
    passEnv,
  });
  const env = {
    GIVEN: "given",
    HIDDEN: "hidden",
    OPENAI_API_KEY: "key-of-a-vendor",
    NODE_OPTIONS: "--no-warnings",
  };

  it.each(["off", "auto"] as const)(
    "has only the listed variables and the vendors' keys (isolation: %s)",
    async (type) => {
      const box = prepared({ agent: agent(["GIVEN"]), isolation: type });
      await run(box, [], env);
      expect(box.read("seen")).toBe("given||key-of-a-vendor||\n");
    },
  );

  it("refuses to pass a variable that is never allowed, when the task is read", async () => {
    const box = prepared({ agent: agent(["NODE_OPTIONS"]) });
    const { code, stderr } = await run(box);
    expect(code).toBe(2);
    expect(stderr).toContain("is never passed on");
  });
});
