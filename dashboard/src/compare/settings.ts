// Settings that differ between two tasks, named as in the task file.

export interface Difference {
  readonly name: string;
  readonly a: string;
  readonly b: string;
}

const ABSENT = "–";

function* leaves(value: unknown, name: string): Generator<[string, string]> {
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) yield* leaves(one, `${name}[${nameOf(one) ?? at + 1}]`);
  } else if (value !== null && typeof value === "object") {
    for (const [key, one] of Object.entries(value)) yield* leaves(one, name === "" ? key : `${name}.${key}`);
  } else if (value !== undefined) yield [name, typeof value === "string" ? value : JSON.stringify(value)];
}

/** Entries of a list are compared by name, if they have one. */
function nameOf(value: unknown): string | undefined {
  const name = (value as { name?: unknown } | null)?.name;
  return typeof name === "string" ? name : undefined;
}

export function settingsThatDiffer(a: object, b: object): readonly Difference[] {
  const left = new Map(leaves(a, ""));
  const right = new Map(leaves(b, ""));
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((name) => {
    const one = left.get(name);
    const other = right.get(name);
    return one === other ? [] : [{ name, a: one ?? ABSENT, b: other ?? ABSENT }];
  });
}
