// An option that may be given several times.

export const collect = (value: string, before: readonly string[] = []) => [...before, value];
