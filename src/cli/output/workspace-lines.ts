// Log lines about files: snapshots, changed protected files, outputs left out of snapshots, restores and the delivery.
import type { EventOf } from "#spec/event";
import type { Iteration, Run } from "#spec/run";
import type { Delivered } from "#spec/workspace";
import { plain } from "#text/plain-text";
import { whereDelivered } from "#text/where-delivered";
import { nameSome } from "./agent-lines.ts";
import { counted } from "./format.ts";
import { type Part, reasonRows, tone } from "./spans.ts";
import type { Screen } from "./style.ts";
import { iterationName } from "./words.ts";

const DIFF_LINES = 12;
const NAMED_PATHS = 5;

const ACTIONS = {
  restore: "undone",
  fail: "the run ends here",
  allow: "allowed by the task",
} as const;

/** The first characters of a tree or commit, enough to type. */
export const shortTree = (tree: string): string => tree.slice(0, 12);

function namePaths(paths: readonly string[]): string {
  const more = paths.length - NAMED_PATHS;
  return `${paths.slice(0, NAMED_PATHS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export function snapshotRows({ iteration, snapshot }: EventOf<"snapshot.taken">, screen: Screen): Part[][] {
  const { columns, style } = screen;
  const { changeCount, changes, omitted } = snapshot;
  const files = nameSome(
    changes.map((change) => change.path),
    changeCount,
  );
  const changed =
    changeCount === 0
      ? ["  no files changed"]
      : [`  ${counted(changeCount, "file")} changed: `, tone("faint", files)];
  const phrase = tone("loud", `${style.glyphs.warning} NOT CAPTURED`);
  const missing = omitted.flatMap((what) => reasonRows(phrase, what, { columns, indent: "  " }));
  return iteration === 0 ? missing : [changed, ...missing];
}

const isChange = (line: string): boolean => /^[+-](?![+-]{2} )/.test(line);

export function protectedRows(event: EventOf<"protected.changed">, { style, columns }: Screen): Part[][] {
  const words = `${style.glyphs.warning} protected ${event.changes.length === 1 ? "path" : "paths"} changed`;
  const paths = event.changes.map(({ path, kind }) => `${path} (${kind})`).join(", ");
  const lines = event.diff.split("\n").filter(isChange);
  const more = lines.length - DIFF_LINES;
  return [
    ...reasonRows(tone("loud", words), `${paths}; ${ACTIONS[event.action]}`, { columns, indent: "  " }),
    ...lines
      .slice(0, DIFF_LINES)
      .map((line): Part[] => ["    ", tone(line.startsWith("+") ? "good" : "bad", line)]),
    ...(more > 0 ? [[tone("faint", `    … and ${counted(more, "line")} more`)]] : []),
    ...stagedRows(event, columns),
    ...(event.commit ? [[tone("loud", `    ${style.glyphs.warning} ${describeCommit(event.commit)}`)]] : []),
    ...(event.action === "allow" ? [] : unprotectRows(columns)),
    [tone("faint", `    the agent's version is saved: ${savedAt(event)}`)],
  ];
}

/** Says how to unprotect the paths, in case the agent has to change them. */
function unprotectRows(columns: number): Part[][] {
  const advice = "leave them out of `protect` in the task file, or use --no-protect";
  const phrase = tone("faint", "if the agent should change these");
  return reasonRows(phrase, advice, { columns, indent: "    " });
}

function stagedRows({ staged, indexProblem }: EventOf<"protected.changed">, columns: number): Part[][] {
  if (!staged) return [];
  const block = { columns, indent: "    " };
  if (indexProblem === undefined)
    return reasonRows(tone("faint", "also undone in the git index"), namePaths(staged), block);
  const advice = `${indexProblem}; undo it with: git reset -- ${namePaths(staged)}`;
  return reasonRows(tone("loud", "still staged in the git index"), advice, block);
}

function savedAt({ iteration, action, tree }: EventOf<"protected.changed">): string {
  return action === "restore"
    ? `converge diff last ${iteration} --undone`
    : `converge diff last base ${shortTree(tree)}`;
}

function describeCommit(commit: string): string {
  return `the agent's commit ${shortTree(plain(commit))} still contains the change`;
}

/** Describes the agent's changes to protected files that were undone in an iteration. */
export function undoneLine(run: string, { number, tampering }: Iteration): string {
  const changes = tampering?.changes ?? [];
  const names = namePaths(changes.map(({ path, kind }) => `${plain(path)} (${kind})`));
  const commit = tampering?.commit ? `; ${describeCommit(tampering.commit)}` : "";
  return `undone in iteration ${number}: ${names}${commit}. The agent's version: converge diff ${run} ${number} --undone`;
}

export function outputRows({ paths, captured = [] }: EventOf<"outputs.seen">, { columns }: Screen): Part[][] {
  const row = (label: string, names: readonly string[], why: string) =>
    names.length > 0
      ? reasonRows(tone("faint", label), `${namePaths(names)} (${why})`, { columns, indent: "  " })
      : [];
  return [
    ...row("left out of snapshots", paths, "written by the gates"),
    ...row("in snapshots again", captured, "changed by the agent"),
  ];
}

export function restoredRows({ iteration, tree, saved }: EventOf<"workspace.restored">, run: Run): Part[][] {
  const isWhole = (iteration === 0 ? run.baseline : run.iterations[iteration - 1])?.snapshot?.tree === tree;
  const target = isWhole ? iterationName(iteration) : `tree ${shortTree(tree)}`;
  return [
    [
      tone("warn", `  files restored to ${target}`),
      tone("faint", `, the previous files are saved as tree ${shortTree(saved)}`),
    ],
  ];
}

export function deliveredRows(delivered: Delivered, { style, columns }: Screen): Part[][] {
  const { type, problem } = delivered;
  if (problem !== undefined)
    return reasonRows(tone("loud", `${style.glyphs.warning} not delivered as ${type}`), problem, { columns });
  return reasonRows(tone("good", `delivered as ${type}`), whereDelivered(delivered), { columns });
}
