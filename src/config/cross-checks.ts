// What no key can tell alone: whether the parts of a task fit together.
import { stat } from "node:fs/promises";
import path from "node:path";
import { findSignal, withPromise } from "#rules/signals";
import { unknownName } from "#text/nearest-name";
import { child, type Located, textOf } from "./located.ts";
import type { Problems } from "./problems.ts";

/** `until` names gates that there are. */
export function checkUntil(tree: Located, gates: readonly string[], problems: Problems): void {
  const until = child(tree, "until");
  for (const node of until?.kind === "list" ? until.items : until ? [until] : []) {
    const name = textOf(node);
    if (name !== undefined && !gates.includes(name))
      problems.add(node.valueAt, unknownName("gate", name, gates, "until"));
  }
}

/** Without a baseline nobody knows what failed before. */
export function checkBaseline(tree: Located, problems: Problems): void {
  const baseline = child(tree, "baseline");
  const ignore = child(tree, "ignorePreexisting");
  const isOff = baseline?.kind === "leaf" && (baseline.value === false || baseline.value === "off");
  if (isOff && ignore?.kind === "leaf" && ignore.value === true)
    problems.add(ignore.keyAt, "ignorePreexisting needs the baseline, which is off; switch one of them");
}

/** What only gates of one type can fulfil would, without such a gate, be accepted and never looked at. */
export function checkCriteria(tree: Located, types: readonly string[], problems: Problems): void {
  const strategy = child(tree, "strategy");
  const criteria = child(strategy, "completionCriteria");
  const ci =
    criteria?.kind === "list" ? criteria.items.find((item) => textOf(item) === "ci-pass") : undefined;
  if (ci && !types.includes("ci"))
    problems.add(ci.valueAt, 'ci-pass needs a gate of type "ci", and there is none');
  const level = child(strategy, "minLevel");
  if (level && !types.includes("levels"))
    problems.add(level.keyAt, 'minLevel needs a gate of type "levels", and there is none');
}

/** Policies that would make no difference, by the type of the gate. */
const WITHOUT_EFFECT = [
  { type: "approval", key: "repeat", why: "people are asked once; see minimum for several of them" },
  { type: "approval", key: "condition", value: "manual", why: "the gate asks a person already" },
  { type: "convergence", key: "repeat", why: "what was recorded stays the same however often it is read" },
] as const;

/** An option that is accepted and does nothing is a promise that nobody keeps. */
export function checkPolicies(tree: Located, problems: Problems): void {
  const gates = child(tree, "gates");
  for (const [index, gate] of (gates?.kind === "list" ? gates.items : []).entries())
    for (const { type, key, why, ...rest } of WITHOUT_EFFECT) {
      const node = child(gate, key);
      const meant = !("value" in rest) || textOf(node) === rest.value;
      if (node && meant && textOf(child(gate, "type")) === type)
        problems.add(node.keyAt, `gates[${index}].${key}: has no effect with type ${type}: ${why}`);
    }
}

/** `where` is the place where a missing key would best be written. */
export function checkPresent(
  tree: Located,
  where: string,
  agents: readonly string[],
  problems: Problems,
): void {
  if (child(tree, "prompt") === undefined && child(tree, "promptFile") === undefined)
    problems.add(
      where,
      'no prompt; write "prompt: <what is wanted>" or "promptFile: <path>", or pass --prompt',
    );
  if (child(tree, "agent") === undefined && child(tree, "agents") === undefined)
    problems.add(
      where,
      `no agent, and none was found that is installed; \`converge agents\` tells how to install one, or write "agent: <type>" or pass --agent-cmd (known: ${agents.join(", ")})`,
    );
}

/** A promise that has no words, or that the prompt itself gives, could never be given. */
export function checkPromise(tree: Located, prompt: string | undefined, problems: Problems): void {
  const required = child(tree, "requirePromise");
  if (required?.kind !== "leaf" || required.value !== true) return;
  const promise = textOf(child(tree, "promise"));
  if (promise === undefined)
    problems.add(required.keyAt, 'requirePromise needs the words of the promise; write "promise: <words>"');
  else if (prompt !== undefined && findSignal(prompt, "", withPromise([], promise)) !== undefined)
    problems.add(
      (child(tree, "prompt") ?? child(tree, "promptFile") ?? required).valueAt,
      `prompt: <promise>${promise}</promise> stands on a line of its own, so an agent that gives it only seems to quote the prompt; leave it out, the agent is told anyway`,
    );
}

/** Taking turns needs somebody to take turns with. */
export function checkRotation(tree: Located, problems: Problems): void {
  const rotate = child(tree, "rotate");
  const agents = child(tree, "agents");
  const several = agents?.kind === "list" && agents.items.length > 1;
  if (rotate?.kind === "leaf" && rotate.value === true && !several)
    problems.add(rotate.keyAt, 'rotate needs several agents; write "agents: [<type>, <type>]"');
}

/** Only an agent that may write nowhere else, and whose network is ours, can be given a folder or denied the network. */
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
        `isolation.${node === network ? "network: off" : "writable"} needs type strict or runtime, and it is ${type}`,
      );
}

/** A repository is brought to where the run is driven: there is no folder to choose, and no second way of working in it. */
export function checkRepository(tree: Located, problems: Problems): void {
  const workspace = child(tree, "workspace");
  const hasGit = child(workspace, "git") !== undefined;
  for (const key of hasGit ? ["type", "dir"] : ["ref"]) {
    const node = child(workspace, key);
    if (!node) continue;
    const why = hasGit ? "does not go with workspace.git; leave one of them out" : "needs workspace.git";
    problems.add(node.keyAt, `workspace.${key} ${why}`);
  }
}

/** The folder that the agent works in: as written, else `home`. */
export async function workspaceDir(tree: Located, home: string, problems: Problems): Promise<string> {
  const node = child(child(tree, "workspace"), "dir");
  const written = textOf(node);
  if (node === undefined || written === undefined) return home;
  const dir = path.resolve(node.dir, written);
  const found = await stat(dir).catch(() => undefined);
  if (!found?.isDirectory())
    problems.add(node.valueAt, `workspace.dir: expected a folder, and ${dir} is none`);
  return dir;
}
