// An option that may be given several times.

/** `before` is false after the negated form of the option: what is given last counts. */
export const collect = (value: string, before: readonly string[] | false = []) => [...(before || []), value];
