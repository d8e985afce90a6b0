// Assigns output lines to runs of a runner, so that a summary printed by a test is not taken for the runner's own.

export interface Span {
  /** First line after the last run nested in this one. */
  readonly from: number;
  /** The line of the summary. */
  readonly to: number;
}

type Marks = (line: string, index: number) => boolean;

interface Mark {
  readonly opens: boolean;
  readonly at: number;
}

/** For runners with a start line: pairs start lines and summaries like brackets; only the outermost count. */
export function announcedSpans(lines: readonly string[], opens: Marks, closes: Marks): readonly Span[] {
  const marks: Mark[] = [];
  for (const [at, line] of lines.entries()) {
    if (opens(line, at)) marks.push({ opens: true, at });
    else if (closes(line, at)) marks.push({ opens: false, at });
  }
  return pairMarks(marks) ?? lastPerAnnouncement(marks);
}

/**
 * For runners without a start line: a summary ends a run if the units above it add up to its count (`closes`).
 * Otherwise only the last summary counts.
 */
export function talliedSpans(
  lines: readonly string[],
  unit: (line: string, index: number) => string | undefined,
  closes: (line: string, index: number) => number | undefined,
): readonly Span[] {
  const spans: Span[] = [];
  let units = new Set<string>();
  let last: Span | undefined;
  for (const [index, line] of lines.entries()) {
    const name = unit(line, index);
    if (name !== undefined) units.add(name);
    const expected = closes(line, index);
    if (expected === undefined) continue;
    last = { from: (spans.at(-1)?.to ?? -1) + 1, to: index };
    if (units.size !== expected) continue;
    spans.push(last);
    units = new Set();
  }
  if (last === undefined) return [];
  return spans.at(-1) === last ? spans : [{ from: 0, to: last.to }];
}

// Undefined when a start line has no summary, because nesting is then unknown.
function pairMarks(marks: readonly Mark[]): readonly Span[] | undefined {
  const spans: Span[] = [];
  const open: number[] = [];
  let inner = 0;
  for (const mark of marks) {
    if (mark.opens) {
      open.push(mark.at);
      continue;
    }
    const from = open.pop();
    // A second summary for one start line: the earlier one was quoted.
    const start = from ?? spans.pop()?.from ?? 0;
    if (open.length === 0) spans.push({ from: Math.max(start, inner), to: mark.at });
    else inner = mark.at + 1;
  }
  return open.length === 0 ? spans : undefined;
}

function lastPerAnnouncement(marks: readonly Mark[]): readonly Span[] {
  const spans: Span[] = [];
  let from = 0;
  let closed = false;
  for (const mark of marks) {
    if (mark.opens) from = mark.at;
    else {
      if (closed) spans.pop();
      spans.push({ from, to: mark.at });
    }
    closed = !mark.opens;
  }
  return spans;
}
