// Our commands among the hooks of a settings document: put in, brought up to date, taken out. All else stays as it is.
import { UsageError } from "#spec/errors";

export type Json = Readonly<Record<string, unknown>>;

/** A command for one of the program's events; the time limit in the program's own unit. */
export interface CommandHook {
  /** For programs that show one. */
  readonly name?: string;
  readonly command: string;
  readonly timeout?: number;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** However we are called, and whichever event it is for. */
function isOurs(hook: unknown, host: string): boolean {
  if (!isObject(hook) || typeof hook.command !== "string") return false;
  const [, name] = /\bconverge(?:\.js)?['"]? hook ([a-z-]+)$/.exec(hook.command.trim()) ?? [];
  return name?.startsWith(`${host}-`) ?? false;
}

/** The first of ours becomes the wanted one, further ones go, and so does a group that held nothing else. */
function edited(groups: readonly unknown[], host: string, wanted: CommandHook | undefined): unknown[] {
  let left = wanted;
  const kept = groups.flatMap((group) => {
    if (!isObject(group) || !Array.isArray(group.hooks)) return [group];
    const hooks = group.hooks.flatMap((hook) => {
      if (!isOurs(hook, host)) return [hook];
      const mine = left && { ...hook, ...left };
      left = undefined;
      return mine ? [mine] : [];
    });
    return hooks.length === 0 && group.hooks.length > 0 ? [] : [{ ...group, hooks }];
  });
  return left ? [...kept, { hooks: [{ type: "command", ...left }] }] : kept;
}

function listOf(hooks: Json, event: string): readonly unknown[] {
  const groups = Object.hasOwn(hooks, event) ? hooks[event] : [];
  if (Array.isArray(groups)) return groups;
  throw new UsageError(`expected a list at "hooks.${event}"`);
}

/** The document with exactly these hooks of ours, by event; none of them takes ours out. */
export function setHooks(document: Json, host: string, wanted: Readonly<Record<string, CommandHook>>): Json {
  const hooks = document.hooks ?? {};
  if (!isObject(hooks)) throw new UsageError('expected an object at "hooks"');
  const events = [...new Set([...Object.keys(hooks), ...Object.keys(wanted)])];
  const after = events.flatMap((event): [string, unknown][] => {
    if (!(event in wanted) && !Array.isArray(hooks[event])) return [[event, hooks[event]]];
    const before = listOf(hooks, event);
    const groups = edited(before, host, wanted[event]);
    return groups.length === 0 && before.length > 0 ? [] : [[event, groups]];
  });
  const { hooks: _, ...rest } = document;
  if (after.length === 0 && Object.keys(hooks).length > 0) return rest;
  return after.length === 0 ? document : { ...document, hooks: Object.fromEntries(after) };
}
