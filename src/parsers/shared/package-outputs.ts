// Splits the output of a monorepo by package. Workspace runners mix the output of many programs: with a prefix on every
// line (turbo, `pnpm -r`, `lerna run --stream`), or one after the other below headings (`npm test --workspaces`, Nx).
// Each part is then parsed as if its program had run alone.

export interface PackageOutput {
  /** Empty for lines that belong to no package. */
  readonly name: string;
  /** Relative to the workspace, if printed. */
  readonly folder?: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** The first line of a package's script, after the package's prefix. */
const OPENING = /^(?:> (?:@[\w.-]+\/)?[\w.-]+@\S+ \S|cache (?:hit|miss|bypass)\b|Process started$)/;
const PNPM_OPENING = /^(\S{1,150} [\w:.-]{1,50})\$ \S/;
const BRACKETS = /^\[[^\]\s]{1,150}\]:? /;
const LONGEST_PREFIX = 200;

/** `> name@version script`, with the folder in pnpm; `> name:task` in Nx; `> name` in yarn. */
const HEADING =
  /^> (?:nx run )?((?:@[\w.-]{1,100}\/)?[\w.-]{1,100})(?:@\S+ \S+(?: (\S+))?|:[\w:.-]+(?: .*)?)?$/;
/** Only output of these commands is split by headings, because a test may print a heading. */
const WORKSPACE_COMMAND =
  /\bnpm\b.*\s(?:--workspaces?|-ws?)\b|\byarn workspaces run\b|\bpnpm\b.*\s(?:-r|--recursive)\b|\b(?:lerna|nx) (?:run|affected)/;
const TARGET = /^\s*(?:NX|Lerna \(powered by Nx\)) {2,}Running target /;
const FAILED_WORKSPACE = /^npm (?:error|ERR!) workspace ((?:@[\w.-]+\/)?[\w.-]+)@/;
const NPM_NOTICE = /^npm (?:error|ERR!)/;

/** Key for the stderr of scripts without a name. */
const STDERR = "> stderr";

const NPM_PATH = /^npm (?:error|ERR!) path (\S.*)$/m;
const TURBO_PATH = /^((?:@[\w.-]+\/)?[\w.-]+)#\S+: +ERROR +command \(([^()]+)\)/;

/** The workspace runner's own lines, then each package; undefined for a single program. `command` is what ran. */
export function packageOutputs(
  stdout: string,
  stderr: string,
  command = "",
): readonly PackageOutput[] | undefined {
  const [out, err] = [stdout.split("\n"), stderr.split("\n")];
  const groups = byPrefix(out, err) ?? byHeading(out, err, command);
  if (groups === undefined) return undefined;
  const turbo = new Map(
    err.flatMap((line): readonly [string, string][] => {
      const [, name, folder] = TURBO_PATH.exec(line) ?? [];
      return name === undefined || folder === undefined ? [] : [[name, folder]];
    }),
  );
  return [...groups.values()].map(({ name, folder, out, err }) => {
    const parts = { stdout: out.join("\n"), stderr: err.join("\n") };
    const found =
      folder ?? NPM_PATH.exec(parts.stdout)?.[1] ?? NPM_PATH.exec(parts.stderr)?.[1] ?? turbo.get(name);
    return { name, ...(found !== undefined && { folder: found }), ...parts };
  });
}

interface Group {
  readonly name: string;
  folder?: string;
  readonly out: string[];
  readonly err: string[];
}

function groupFor(groups: Map<string, Group>, key: string, name: string): Group {
  const group = groups.get(key) ?? { name, out: [], err: [] };
  groups.set(key, group);
  return group;
}

function byPrefix(out: readonly string[], err: readonly string[]): Map<string, Group> | undefined {
  const groups = new Map<string, Group>([["", { name: "", out: [], err: [] }]]);
  for (const line of [...out, ...err]) {
    const [, pnpm] = PNPM_OPENING.exec(line) ?? [];
    const prefix = pnpm === undefined ? prefixOf(line) : `${pnpm}: `;
    if (prefix === "" || (pnpm === undefined && !OPENING.test(line.slice(prefix.length)))) continue;
    const [name = ""] = prefix.replace(/^\[|[\]:\s]+$/g, "").split(/[: ]/, 1);
    const group = groupFor(groups, prefix, name);
    if (pnpm !== undefined) group.folder = name;
  }
  if (groups.size === 1) return undefined;
  const deal = (lines: readonly string[], to: "out" | "err") => {
    for (const line of lines) {
      const prefix = prefixOf(line);
      const group = groups.get(prefix);
      if (group === undefined) groups.get("")?.[to].push(line);
      else group[to].push(line.slice(prefix.length));
    }
  };
  deal(out, "out");
  deal(err, "err");
  return groups;
}

/** `name:task: `, `folder script: `, `name: `, `[name] ` or `[name]: `; empty when there is none. */
function prefixOf(line: string): string {
  if (line.startsWith("[")) return BRACKETS.exec(line)?.[0] ?? "";
  const at = line.slice(0, LONGEST_PREFIX).indexOf(": ");
  return at <= 0 ? "" : line.slice(0, at + 2);
}

function byHeading(
  out: readonly string[],
  err: readonly string[],
  command: string,
): Map<string, Group> | undefined {
  const first = out.findIndex((line) => HEADING.test(line));
  const announced = [command, ...out.slice(0, first + 2)];
  if (first < 0 || !announced.some((line) => WORKSPACE_COMMAND.test(line) || TARGET.test(line)))
    return undefined;
  const groups = new Map<string, Group>();
  let group = groupFor(groups, "", "");
  for (const [at, line] of out.entries()) {
    const [, name, folder] = isHeading(out, at) ? (HEADING.exec(line) ?? []) : [];
    if (name !== undefined) group = groupFor(groups, name, name);
    if (folder !== undefined) group.folder = folder;
    group.out.push(line);
  }
  dealStderr(groups, err);
  return groups;
}

// npm prints its command below the heading, Nx an empty line; only yarn's heading has no task.
function isHeading(lines: readonly string[], at: number): boolean {
  const [line = "", next = ""] = [lines[at], lines[at + 1]];
  if (!line.startsWith("> ")) return false;
  if (/^> \S+@\S+ \S/.test(line)) return next.startsWith("> ");
  return line.includes(":") ? next.trim() === "" : next.startsWith("yarn run v");
}

/** npm names a failed script below its output; the stderr of other scripts has no name. */
function dealStderr(groups: Map<string, Group>, err: readonly string[]): void {
  let lines: string[] = [];
  let name: string | undefined;
  const deal = (key: string, owner: string) => {
    const group = groupFor(groups, key, owner);
    for (const line of lines) group.err.push(line);
    lines = [];
  };
  for (const line of err) {
    if (name !== undefined && !NPM_NOTICE.test(line)) {
      deal(name, name);
      name = undefined;
    }
    name = FAILED_WORKSPACE.exec(line)?.[1] ?? name;
    lines.push(line);
  }
  deal(name ?? STDERR, name ?? "");
}

/** Converts a path relative to the package's folder to one relative to the workspace. */
export function inFolder(path: string, folder: string | undefined): string {
  const isOutside = folder === undefined || folder === "." || path.startsWith(`${folder}/`);
  return isOutside || /^(?:\/|[A-Za-z]:[\\/])/.test(path) ? path : `${folder}/${path.replace(/^\.\//, "")}`;
}
