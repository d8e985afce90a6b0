// An argument that is there only when there is something to say.

export function flag(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}
