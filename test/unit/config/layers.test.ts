import path from "node:path";
import { describe, expect, it } from "vitest";
import { folder, problemsIn, problemsOf, read, readYaml } from "./fixtures.ts";

describe("layers", () => {
  const LIMIT = { user: 2, project: 3, profile: 4, flags: 5 };
  const layers = Object.keys(LIMIT) as (keyof typeof LIMIT)[];
  const subsets = Array.from({ length: 2 ** layers.length }, (_, bits) =>
    layers.filter((_, index) => bits & (2 ** index)),
  );

  it.each(subsets.map((set) => [set.join(" < ") || "none", set] as const))(
    "the highest layer with a value wins: %s",
    async (_, set) => {
      const line = (layer: keyof typeof LIMIT) =>
        set.includes(layer) ? `{limits: {iterations: ${LIMIT[layer]}}}` : "{}";
      const cwd = folder({
        "user.yaml": line("user"),
        "converge.yaml": `{prompt: x, agent: claude, profiles: {p: ${line("profile")}}, ${line("project").slice(1)}`,
      });
      const flags = set.includes("flags") ? { limits: { iterations: LIMIT.flags } } : {};
      const { task } = await read({ cwd, file: "converge.yaml", userFile: "user.yaml", profile: "p", flags });
      const highest = set.at(-1);
      expect(task.limits.iterations).toBe(highest === undefined ? 20 : LIMIT[highest]);
    },
  );

  it("merges maps deeply and replaces lists", async () => {
    const cwd = folder({
      "user.yaml": "limits: {cost: 5, idle: 1m}\nvars: {a: user, b: user}\ngates: [one, two]",
      "converge.yaml": "prompt: x\nagent: claude\nlimits: {cost: 7}\nvars: {b: project}\ngates: [three]",
    });
    const { task, sources } = await read({ cwd, file: "converge.yaml", userFile: "user.yaml" });
    expect(task.limits).toMatchObject({ cost: 7, idleMs: 60_000 });
    expect(task.vars).toEqual({ a: "user", b: "project" });
    expect(task.gates.map(({ name }) => name)).toEqual(["three"]);
    expect(sources).toEqual([path.join(cwd, "user.yaml"), path.join(cwd, "converge.yaml")]);
  });

  it.each([
    [
      "another type replaces the part",
      "{type: claude, model: a}",
      "{type: command, command: b}",
      { type: "command", command: "b" },
    ],
    ["another type by its short name too", "{type: command, command: b}", "claude", { type: "claude" }],
    [
      "the same type keeps lower options",
      "{type: claude, model: a}",
      "claude",
      { type: "claude", model: "a" },
    ],
    ["options alone go to the type below", "claude", "{model: b}", { type: "claude", model: "b" }],
    [
      "options are merged",
      "{type: claude, model: a}",
      "{type: claude, args: [x]}",
      { type: "claude", model: "a", args: ["x"] },
    ],
  ])("merges two agents: %s", async (_, lower, upper, expected) => {
    const { task } = await readYaml(
      `prompt: x\nagent: ${lower}\nprofile: p\nprofiles: {p: {agent: ${upper}}}`,
    );
    expect(task.agents).toEqual([expected]);
  });

  it("accepts options of the default strategy without a type", async () => {
    const { task } = await readYaml("prompt: x\nagent: claude\nstrategy: {baseIterations: 9}");
    expect(task.strategy).toEqual({ type: "hybrid", baseIterations: 9 });
  });

  it("replaces a lower deliver of another type, and merges one of the same type", async () => {
    const cwd = folder({
      "converge.yaml": "prompt: x\nagent: claude\ndeliver: {type: branch, branch: fix, whenRed: true}",
    });
    const delivered = async (deliver: "patch" | "branch") =>
      (await read({ cwd, file: "converge.yaml", flags: { deliver } })).task.deliver;
    expect(await delivered("patch")).toEqual({ type: "patch", remote: "origin", whenRed: false });
    expect(await delivered("branch")).toEqual({
      type: "branch",
      branch: "fix",
      remote: "origin",
      whenRed: true,
    });
  });

  it("lets the upper layer's prompt or promptFile win", async () => {
    const cwd = folder({ "converge.yaml": "promptFile: a.md\nagent: claude", "a.md": "from the file" });
    expect((await read({ cwd, file: "converge.yaml" })).task.prompt).toBe("from the file");
    const { task } = await read({ cwd, file: "converge.yaml", flags: { prompt: "from the flag" } });
    expect(task.prompt).toBe("from the flag");
  });

  it("resolves paths relative to the layer that names them", async () => {
    const cwd = folder({
      "home/user.yaml": "files: {mine: mine.md}\nstrategy: {type: custom, module: ./mine.mjs}",
      "project/converge.yaml":
        "prompt: x\nagent: claude\nfiles: {theirs: ../theirs.md}\nworkspace: {dir: sub}\ntemplate: t.hbs",
      "project/sub/keep": "",
      "project/t.hbs": "{{mine}} {{theirs}} {{here}}",
      "t.hbs": "",
    });
    const flags = { files: { here: "here.md" } };
    const { task } = await read({ cwd, file: "project/converge.yaml", userFile: "home/user.yaml", flags });
    expect(task.files).toEqual({
      mine: path.join(cwd, "home/mine.md"),
      theirs: path.join(cwd, "theirs.md"),
      here: path.join(cwd, "here.md"),
    });
    expect(task.strategy.module).toBe(path.join(cwd, "home/mine.mjs"));
    expect(task.workspace.dir).toBe(path.join(cwd, "project/sub"));
    expect(task.template?.name).toBe(path.join("project", "t.hbs"));
  });

  it("uses the folder of the task file as workspace", async () => {
    const cwd = folder({ "project/converge.yaml": "prompt: x\nagent: claude" });
    const { task } = await read({ cwd, file: "project/converge.yaml" });
    expect(task.workspace.dir).toBe(path.join(cwd, "project"));
  });

  it("accepts a missing user file and rejects an invalid one", async () => {
    const cwd = folder({ "converge.yaml": "prompt: x\nagent: claude", "user.yaml": "limit: {}" });
    const { sources } = await read({ cwd, file: "converge.yaml", userFile: "none.yaml" });
    expect(sources).toEqual([path.join(cwd, "converge.yaml")]);
    const problems = await problemsOf(read({ cwd, file: "converge.yaml", userFile: "user.yaml" }));
    expect(problems).toEqual([
      expect.stringContaining('user.yaml:1:1: unknown key "limit"; did you mean "limits"?'),
    ]);
  });

  it("rejects a mistake that a higher layer overrides", async () => {
    const cwd = folder({ "converge.yaml": "prompt: x\nagent: claude\nlimits: {iterations: 0}" });
    const problems = await problemsOf(
      read({ cwd, file: "converge.yaml", flags: { limits: { iterations: 5 } } }),
    );
    expect(problems).toEqual(["converge.yaml:3:22: limits.iterations: expected at least 1, got 0"]);
  });
});

describe("profiles", () => {
  const BASE = "prompt: x\nagent: claude\n";

  it("are applied base first, each once", async () => {
    const text = `${BASE}profiles:
  base: {vars: {a: base, b: base, c: base}}
  left: {extends: base, vars: {b: left, c: left}}
  right: {extends: [base], vars: {c: right}}
  both: {extends: [left, right]}
`;
    const cwd = folder({ "converge.yaml": text });
    const vars = async (profile: string) => (await read({ cwd, file: "converge.yaml", profile })).task.vars;
    expect(await vars("base")).toEqual({ a: "base", b: "base", c: "base" });
    expect(await vars("left")).toEqual({ a: "base", b: "left", c: "left" });
    expect(await vars("both")).toEqual({ a: "base", b: "left", c: "right" });
  });

  it("have a default that a flag can override", async () => {
    const text = `${BASE}profile: a\nprofiles: {a: {promise: A}, b: {promise: B}}`;
    const cwd = folder({ "converge.yaml": text });
    expect((await read({ cwd, file: "converge.yaml" })).task.promise).toBe("A");
    expect((await read({ cwd, file: "converge.yaml", profile: "b" })).task.promise).toBe("B");
    expect((await read({ cwd, file: "converge.yaml", flags: { profile: "b" } })).task.promise).toBe("B");
  });

  it("of the user and of the project are merged", async () => {
    const cwd = folder({
      "user.yaml": "profiles: {fast: {limits: {iterations: 2}}}",
      "converge.yaml": `${BASE}profiles: {night: {extends: fast}}`,
    });
    const { task } = await read({ cwd, file: "converge.yaml", userFile: "user.yaml", profile: "night" });
    expect(task.limits.iterations).toBe(2);
  });

  it.each<[string, string, string[]]>([
    [
      "a cycle, showing the chain",
      "profiles:\n  a: {extends: b}\n  b: {extends: [c]}\n  c: {extends: a}",
      ["converge.yaml:6:16: profiles extend each other in a cycle: a → b → c → a"],
    ],
    [
      "a profile that extends itself",
      "profiles:\n  a: {extends: a}",
      ["converge.yaml:4:16: profiles extend each other in a cycle: a → a"],
    ],
    [
      "a cycle that another profile leads to",
      "profiles:\n  x: {extends: a}\n  a: {extends: b}\n  b: {extends: a}",
      ["converge.yaml:6:16: profiles extend each other in a cycle: a → b → a"],
    ],
    [
      "an unknown base profile",
      "profiles:\n  night: {}\n  b: {extends: nigth}",
      [
        'converge.yaml:5:16: unknown profile "nigth" in profiles.b.extends; did you mean "night"? (known: night, b)',
      ],
    ],
    ["an unknown default", "profile: ci", ['converge.yaml:3:10: unknown profile "ci" (there are none)']],
    [
      "a mistake in a profile that is not chosen",
      "profiles:\n  a:\n    limits: {iterations: x}",
      ['converge.yaml:5:26: profiles.a.limits.iterations: expected a number, got "x"'],
    ],
    [
      "a profile in a profile",
      "profiles: {a: {profiles: {}}}",
      [expect.stringContaining('converge.yaml:3:16: unknown key "profiles" in profiles.a')],
    ],
    [
      "a profile that is a list",
      "profiles: {a: []}",
      ["converge.yaml:3:15: profiles.a: expected a map of keys, got a list"],
    ],
  ])("reject %s", async (_, text, expected) => {
    expect(await problemsIn(`${BASE}${text}`)).toEqual(expected);
  });

  it("list the known names when an unknown one is chosen", async () => {
    const cwd = folder({ "converge.yaml": `${BASE}profiles: {night: {}, day: {}}` });
    expect(await problemsOf(read({ cwd, file: "converge.yaml", profile: "nihgt" }))).toEqual([
      'command line: unknown profile "nihgt"; did you mean "night"? (known: night, day)',
    ]);
  });

  it("report a mistake in the chosen one once, at its location", async () => {
    expect(
      await problemsIn(`${BASE}profile: a\nprofiles:\n  a: {agent: {modle: x}, feedback: {chars: -1}}`),
    ).toEqual([
      "converge.yaml:5:44: profiles.a.feedback.chars: expected at least 1, got -1",
      'converge.yaml:5:15: unknown key "modle" in agent; did you mean "model"? (known: type, model, args)',
    ]);
  });
});
