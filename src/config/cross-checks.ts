// Validates rules that involve several keys of a task.
import { type Path, pathName } from "#options/issues";
import type { GateTraits, StrategyTraits } from "#options/part";
import { findSignal, withPromise } from "#rules/signals";
import { looksSecret } from "#system/secrets/secrets";
import { unknownName } from "#text/nearest-name";
import type { Catalogue } from "./catalogue.ts";
import { child, itemsOf, type Located, type Problems, type TaskReader, textOf } from "./located.ts";

/** Rejects unknown gates in `until`. */
export function checkUntil({ tree, problems }: TaskReader, gates: readonly string[]): void {
  for (const node of itemsOf(child(tree, "until"))) {
    const name = textOf(node);
    if (name !== undefined && !gates.includes(name))
      problems.add(node.valueAt, unknownName("gate", { name, where: "until" }, gates));
  }
}

/** `ignorePreexisting` needs a baseline to know what failed before. */
export function checkBaseline({ tree, problems }: TaskReader): void {
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
export function checkNeededGates({ tree, problems }: TaskReader, { strategies, types }: GateSelection): void {
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
export function checkPolicies({ tree, problems }: TaskReader, catalogue: Catalogue<GateTraits>): void {
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

/** Requires a prompt and an agent. `agents` are the known types. */
export function checkPresent({ tree, where, problems }: TaskReader, agents: readonly string[]): void {
  if (child(tree, "prompt") === undefined && child(tree, "promptFile") === undefined)
    problems.add(where, 'no prompt; write "prompt: <text>" or "promptFile: <path>", or pass --prompt');
  if (child(tree, "agent") === undefined && child(tree, "agents") === undefined)
    problems.add(
      where,
      `no agent, and no installed agent was found; run \`converge agents\` to see how to install one, or write "agent: <type>" or pass --agent-cmd (known: ${agents.join(", ")})`,
    );
}

/** Rejects a required promise without words, and one that the prompt itself contains: it could never be detected. */
export function checkPromise({ tree, problems }: TaskReader, prompt: string | undefined): void {
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
export function checkRotation({ tree, problems }: TaskReader): void {
  const rotate = child(tree, "rotate");
  const agents = child(tree, "agents");
  const several = agents?.kind === "list" && agents.items.length > 1;
  if (rotate?.kind === "leaf" && rotate.value === true && !several)
    problems.add(rotate.keyAt, 'rotate needs several agents; write "agents: [<type>, <type>]"');
}

const NO_GATE =
  'No gate: nothing can verify the work. Add --gate "npm test" (in a task: gates: ["npm test"]), or use converge ralph (in a task: strategy: ralph)';

/** Refuses a task without gates whose strategy needs them: nothing could verify the work. */
export function checkGates({ tree, where, problems }: TaskReader, needsGates: boolean): void {
  const gates = child(tree, "gates");
  const promise = child(tree, "requirePromise");
  const isPromised = promise?.kind === "leaf" && promise.value === true;
  if (isPromised || !needsGates) return;
  if (gates === undefined || (gates.kind === "list" && gates.items.length === 0))
    problems.add(gates?.valueAt ?? where, NO_GATE);
}

/** Parts with an `env` map. */
const PARTS = ["agent", "agents", "gates", "memory"] as const;

/** Rejects secrets in any `env` map, because the task is stored with its run. The message says where the secret belongs. */
export function checkSecrets({ tree, problems }: TaskReader): void {
  for (const part of PARTS) {
    const node = child(tree, part);
    if (node) findSecrets(node, [part], problems);
  }
}

function findSecrets(node: Located, at: Path, problems: Problems): void {
  if (node.kind === "leaf") return;
  const entries = node.kind === "map" ? node.entries : node.items.entries();
  for (const [key, entry] of entries) {
    if (at.at(-1) !== "env") findSecrets(entry, [...at, key], problems);
    else if (looksSecret(String(key), textOf(entry) ?? ""))
      problems.add(entry.keyAt, secretMessage([...at, String(key)]));
  }
}

function secretMessage(at: Path): string {
  // The `env` of an agent inside a gate belongs to that agent.
  const isGateEnv = at[0] === "gates" && !at.slice(0, -1).includes("agent");
  const advice = isGateEnv
    ? "set it in the environment, which the gate inherits; for a clean room, list it in cleanRoom.env"
    : "set it in the environment, and list it in passEnv";
  return `${pathName(at)} looks like a secret and would be stored with the run; ${advice}`;
}
