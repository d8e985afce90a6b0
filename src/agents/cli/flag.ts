// Builds an optional command-line argument.

export function flag(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}
