// Log lines about results: changed protected files, outputs left out of snapshots, and the delivery.
import type { RunEvent } from "#spec/event";
import type { Delivered } from "#spec/workspace";
import { whereDelivered } from "#text/where-delivered";
import { counted } from "./format.ts";
import { reasonRows } from "./reason-rows.ts";
import { type Part, tone } from "./spans.ts";
import type { Style } from "./style.ts";
import { committedLine } from "./undone.ts";

type Of<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

const DIFF_LINES = 12;

const DONE = {
  restore: "put back",
  fail: "the run ends here",
  allow: "allowed by the task",
} as const;

export function protectedRows(event: Of<"protected.changed">, style: Style, columns: number): Part[][] {
  const said = `${style.glyphs.warning} protected ${event.changes.length === 1 ? "path" : "paths"} changed`;
  const paths = event.changes.map(({ path, kind }) => `${path} (${kind})`).join(", ");
  const lines = event.diff.split("\n").filter(isChange);
  const more = lines.length - DIFF_LINES;
  return [
    ...reasonRows(tone("loud", said), `${paths}; ${DONE[event.action]}`, columns, "  "),
    ...lines
      .slice(0, DIFF_LINES)
      .map((line): Part[] => ["    ", tone(line.startsWith("+") ? "good" : "bad", line)]),
    ...(more > 0 ? [[tone("faint", `    … and ${counted(more, "line")} more`)]] : []),
    ...stagedRows(event, columns),
    ...(event.commit ? [[tone("loud", `    ${style.glyphs.warning} ${committedLine(event.commit)}`)]] : []),
    ...(event.action === "allow" ? [] : wayOutRows(columns)),
    [tone("faint", `    the agent's version is saved: ${savedAt(event)}`)],
  ];
}

/** Says how to unprotect the paths, in case the agent has to change them. */
function wayOutRows(columns: number): Part[][] {
  const advice = "leave them out of `protect` in the task file, or use --no-protect";
  return reasonRows(tone("faint", "if the agent should change these"), advice, columns, "    ");
}

function stagedRows({ staged, indexProblem }: Of<"protected.changed">, columns: number): Part[][] {
  if (!staged) return [];
  if (indexProblem === undefined)
    return reasonRows(tone("faint", "put back in the git index, too"), named(staged), columns, "    ");
  const advice = `${indexProblem}; undo it with: git reset -- ${named(staged)}`;
  return reasonRows(tone("loud", "still staged in the git index"), advice, columns, "    ");
}

function savedAt({ iteration, action, tree }: Of<"protected.changed">): string {
  return action === "restore"
    ? `converge diff last ${iteration} --undone`
    : `converge diff last base ${tree.slice(0, 12)}`;
}

const NAMED_PATHS = 5;

function named(paths: readonly string[]): string {
  const more = paths.length - NAMED_PATHS;
  return `${paths.slice(0, NAMED_PATHS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export function outputRows({ paths, captured = [] }: Of<"outputs.seen">, columns: number): Part[][] {
  const row = (label: string, names: readonly string[], why: string) =>
    names.length > 0 ? reasonRows(tone("faint", label), `${named(names)} (${why})`, columns, "  ") : [];
  return [
    ...row("left out of snapshots", paths, "written by the gates"),
    ...row("in snapshots again", captured, "changed by the agent"),
  ];
}

const isChange = (line: string): boolean => /^[+-](?![+-]{2} )/.test(line);

export function deliveredParts(delivered: Delivered, style: Style, columns: number): Part[][] {
  const { type, problem } = delivered;
  if (problem !== undefined)
    return reasonRows(tone("loud", `${style.glyphs.warning} not delivered as ${type}`), problem, columns);
  return reasonRows(tone("good", `delivered as ${type}`), whereDelivered(delivered), columns);
}

export function deliveredRows({ delivered }: Of<"run.delivered">, style: Style, columns: number): Part[][] {
  return deliveredParts(delivered, style, columns);
}
