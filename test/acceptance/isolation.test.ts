// How far agents are shut off: the tier in force is shown, asked for, and refused when there is less.
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

/** A search path on which everything is but the program. */
function pathWithout(box: Sandbox, program: string): string {
  const bin = beside(box).place("bin");
  fs.mkdirSync(bin);
  // A link that leads nowhere is no program.
  for (const folder of (process.env.PATH ?? "").split(":").filter((each) => fs.existsSync(each)))
    for (const name of fs.readdirSync(folder))
      if (name !== program && !fs.existsSync(path.join(bin, name)) && fs.existsSync(path.join(folder, name)))
        fs.symlinkSync(path.join(folder, name), path.join(bin, name));
  return bin;
}

describe("by itself", () => {
  it("an agent is contained where there is bwrap: it does not see the state folder, and the tier is shown", async () => {
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

  it("also in a worktree, which lies in the state folder", async () => {
    const box = prepared({ workspace: "worktree" });
    box.commitAll();
    const { code } = await run(box);
    expect(code).toBe(0);
    const [started] = ofType(await box.events(), "run.started");
    expect(fs.readFileSync(path.join(started?.dir ?? "", "seen"), "utf8")).toBe("runs\nworktrees\n");
  });

  it("without bwrap it is basic, and says why", async () => {
    const box = prepared();
    const { code, stdout } = await run(box, [], { PATH: pathWithout(box, "bwrap") });
    expect(code).toBe(0);
    expect(stdout).toContain("isolation basic: bwrap is not installed");
    expect(box.read("seen")).toContain("converge.db");
  });

  it("where bwrap does not work it is basic, and says why", async () => {
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
    // In as many lines as it takes.
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "isolation basic: bwrap does not work here (No permissions to create new namespace)",
    );
  });

  it("switched off it is basic", async () => {
    const box = prepared();
    const { stdout } = await run(box, ["--isolation", "off"]);
    expect(stdout).toContain("isolation basic: switched off");
    expect(box.read("seen")).toContain("converge.db");
  });
});

describe("strict", () => {
  it("an agent writes in the workspace and where it is allowed to, nowhere else", async () => {
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
  ])(
    "%s without %s is refused, with how to get it, and nothing is written",
    async (type, program, advice) => {
      const box = prepared();
      const { code, stderr } = await run(box, ["--isolation", type], { PATH: pathWithout(box, program) });
      expect(code).toBe(2);
      expect(stderr).toContain(`isolation: ${type} needs ${program}, and ${program} is not installed`);
      expect(stderr).toContain(advice);
      expect(fs.existsSync(box.home)).toBe(false);
    },
  );

  it.each(["network: off", "writable: [x]"])(
    "%s without it is refused when the task is read",
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
  /** Stands in for srt: keeps the settings it is given, and runs the command. */
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

  it("hands our rules for files and the person's hosts to srt", async () => {
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

  it("is refused when nobody says which hosts, because an agent could not reach its model", async () => {
    const { box, env } = withSrt();
    const { code, stderr } = await run(box, ["--isolation", "runtime"], env);
    expect(code).toBe(2);
    expect(stderr).toContain("under network.allowedDomains, and it names none");
  });
});

describe("--require-isolation", () => {
  it("is content with what there is", async () => {
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
  ] as const)("refuses less: %s", async (args, without, words) => {
    const box = prepared();
    const { code, stderr } = await run(box, args, without ? { PATH: pathWithout(box, "bwrap") } : {});
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(await runIds(box)).toEqual([]);
  });

  it("holds in a program too", async () => {
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
    "has what is named and what vendors need, nothing else (isolation: %s)",
    async (type) => {
      const box = prepared({ agent: agent(["GIVEN"]), isolation: type });
      await run(box, [], env);
      expect(box.read("seen")).toBe("given||key-of-a-vendor||\n");
    },
  );

  it("a name that is never passed on is refused when the task is read", async () => {
    const box = prepared({ agent: agent(["NODE_OPTIONS"]) });
    const { code, stderr } = await run(box);
    expect(code).toBe(2);
    expect(stderr).toContain("is never passed on");
  });
});
