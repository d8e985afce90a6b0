// Validates rules that involve several keys of a task.
import { stat } from "node:fs/promises";
import path from "node:path";
import type { GateTraits, StrategyTraits } from "#options/part";
import { findSignal, withPromise } from "#rules/signals";
import { unknownName } from "#text/nearest-name";
import type { Catalogue } from "./catalogue.ts";
import { child, type Located, textOf } from "./located.ts";
import type { Problems } from "./problems.ts";

/** Rejects unknown gates in `until`. */
export function checkUntil(tree: Located, gates: readonly string[], problems: Problems): void {
  const until = child(tree, "until");
  for (const node of until?.kind === "list" ? until.items : until ? [until] : []) {
    const name = textOf(node);
    if (name !== undefined && !gates.includes(name))
      problems.add(node.valueAt, unknownName("gate", { name, where: "until" }, gates));
  }
}

/** `ignorePreexisting` needs a baseline to know what failed before. */
export function checkBaseline(tree: Located, problems: Problems): void {
  const baseline = child(tree, "baseline");
  const ignore = child(tree, "ignorePreexisting");
  const isOff = baseline?.kind === "leaf" && (baseline.value === false || baseline.value === "off");
  if (isOff && ignore?.kind === "leaf" && ignore.value === true)
    problems.add(
      ignore.keyAt,
      'ignorePreexisting needs the baseline, which is off; remove "baseline: off" or ignorePreexisting',
    );
}

interface GateSelection {
  readonly strategies: Catalogue<StrategyTraits>;
  /** Types of the task's gates. */
  readonly types: readonly string[];
}

/** Rejects options of the strategy that need a gate of a type that the task does not have: they would silently have no effect. */
export function checkNeededGates(
  tree: Located,
  { strategies, types }: GateSelection,
  problems: Problems,
): void {
  const strategy = child(tree, "strategy");
  const { neededGates = [] } = strategies.traits(textOf(child(strategy, "type")) ?? "");
  for (const { option, value, type } of neededGates) {
    const node = child(strategy, option);
    const items = node?.kind === "list" ? node.items : [];
    const place = value === undefined ? node?.keyAt : items.find((item) => textOf(item) === value)?.valueAt;
    if (place !== undefined && !types.includes(type))
      problems.add(place, `${value ?? option} needs a gate of type "${type}"; add one to gates`);
  }
}

/** Rejects gate policies that would silently have no effect. */
export function checkPolicies(tree: Located, catalogue: Catalogue<GateTraits>, problems: Problems): void {
  const gates = child(tree, "gates");
  for (const [index, gate] of (gates?.kind === "list" ? gates.items : []).entries()) {
    const type = textOf(child(gate, "type")) ?? "";
    for (const { key, value, reason } of catalogue.traits(type).ignoredPolicies ?? []) {
      const node = child(gate, key);
      if (node && (value === undefined || textOf(node) === value))
        problems.add(node.keyAt, `gates[${index}].${key}: has no effect with type ${type}: ${reason}`);
    }
  }
}

/** Requires a prompt and an agent. `where` is the file that the messages point at. */
export function checkPresent(
  tree: Located,
  where: string,
  agents: readonly string[],
  problems: Problems,
): void {
  if (child(tree, "prompt") === undefined && child(tree, "promptFile") === undefined)
    problems.add(where, 'no prompt; write "prompt: <text>" or "promptFile: <path>", or pass --prompt');
  if (child(tree, "agent") === undefined && child(tree, "agents") === undefined)
    problems.add(
      where,
      `no agent, and no installed agent was found; run \`converge agents\` to see how to install one, or write "agent: <type>" or pass --agent-cmd (known: ${agents.join(", ")})`,
    );
}

/** Rejects a required promise without words, and one that the prompt itself contains: it could never be detected. */
export function checkPromise(tree: Located, prompt: string | undefined, problems: Problems): void {
  const required = child(tree, "requirePromise");
  if (required?.kind !== "leaf" || required.value !== true) return;
  const promise = textOf(child(tree, "promise"));
  if (promise === undefined)
    problems.add(required.keyAt, 'requirePromise needs the text of the promise; write "promise: <text>"');
  else if (prompt !== undefined && findSignal(prompt, "", withPromise([], promise)) !== undefined)
    problems.add(
      (child(tree, "prompt") ?? child(tree, "promptFile") ?? required).valueAt,
      `prompt: <promise>${promise}</promise> is on a line of its own, so an agent that gives it only appears to quote the prompt; remove it, because Converge tells the agent anyway`,
    );
}

/** `rotate` needs at least two agents. */
export function checkRotation(tree: Located, problems: Problems): void {
  const rotate = child(tree, "rotate");
  const agents = child(tree, "agents");
  const several = agents?.kind === "list" && agents.items.length > 1;
  if (rotate?.kind === "leaf" && rotate.value === true && !several)
    problems.add(rotate.keyAt, 'rotate needs several agents; write "agents: [<type>, <type>]"');
}

/** `writable` and `network: off` need a sandbox that restricts writes and the network. */
export function checkIsolation(tree: Located, problems: Problems): void {
  const isolation = child(tree, "isolation");
  const type = textOf(child(isolation, "type")) ?? "auto";
  if (type === "strict" || type === "runtime") return;
  const network = child(isolation, "network");
  const isOff = network?.kind === "leaf" && (network.value === false || network.value === "off");
  for (const node of [isOff ? network : undefined, child(isolation, "writable")])
    if (node)
      problems.add(
        node.keyAt,
        `isolation.${node === network ? "network: off" : "writable"} needs isolation type strict or runtime, got ${type}`,
      );
}

/** `workspace.git` excludes `type` and `dir`, because the repository is always cloned where the run is driven. */
export function checkRepository(tree: Located, problems: Problems): void {
  const workspace = child(tree, "workspace");
  const hasGit = child(workspace, "git") !== undefined;
  for (const key of hasGit ? ["type", "dir"] : ["ref"]) {
    const node = child(workspace, key);
    if (!node) continue;
    const why = hasGit ? "cannot be combined with workspace.git; remove one of them" : "needs workspace.git";
    problems.add(node.keyAt, `workspace.${key} ${why}`);
  }
}

/** Resolves the folder that the agent works in. Defaults to `home`. */
export async function workspaceDir(tree: Located, home: string, problems: Problems): Promise<string> {
  const node = child(child(tree, "workspace"), "dir");
  const name = textOf(node);
  if (node === undefined || name === undefined) return home;
  const dir = path.resolve(node.dir, name);
  const stats = await stat(dir).catch(() => undefined);
  if (!stats?.isDirectory())
    problems.add(node.valueAt, `workspace.dir: expected a folder, but ${dir} is not one`);
  return dir;
}
