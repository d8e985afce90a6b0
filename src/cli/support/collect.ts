// Collects the values of a repeatable option.

/** `before` is false after the negated form of the option (`--no-…`): the last one given wins. */
export const collect = (value: string, before: readonly string[] | false = []) => [...(before || []), value];
