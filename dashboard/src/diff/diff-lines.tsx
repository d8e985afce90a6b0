// The lines of one file of a diff, up to a maximum.
import type { Words } from "./coloured.ts";
import type { DiffFile, DiffLine, Hunk } from "./parse.ts";

const SIGNS = { added: "+", removed: "−", context: " " } as const;
const LONGEST = 3000;

function shortened(text: string): string {
  return text.length <= LONGEST
    ? text
    : `${text.slice(0, LONGEST)} … ${text.length - LONGEST} more characters`;
}

function Line({ line, words }: { line: DiffLine; words: Words }) {
  const { kind, before, after, text, open } = line;
  const coloured = words.get(line);
  return (
    <tr class={`line-${kind}`}>
      <td class="number">{before}</td>
      <td class="number">{after}</td>
      <td class="sign">{SIGNS[kind]}</td>
      <td class="code">
        {coloured
          ? coloured.map((word, at) => (
              <span key={at} class={word.kind}>
                {word.text}
              </span>
            ))
          : shortened(text)}
        {open && <span class="soft"> (no newline at end of file)</span>}
      </td>
    </tr>
  );
}

/** An added or deleted file has lines on one side only. */
function placeOf({ from, to, where }: Hunk): string {
  const lines = from === 0 || to === 0 || from === to ? String(Math.max(from, to)) : `${from} → ${to}`;
  return `line ${lines}${where && ` · ${where}`}`;
}

export interface DiffLinesProps {
  readonly file: DiffFile;
  readonly words: Words;
  readonly most: number;
}

export function DiffLines({ file, words, most }: DiffLinesProps) {
  let left = most;
  return (
    <table class="diff-table">
      <caption class="visually-hidden">Changes of {file.path}</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">Line before</th>
          <th scope="col">Line after</th>
          <th scope="col">Change</th>
          <th scope="col">Text</th>
        </tr>
      </thead>
      {file.hunks.map((hunk, at) => {
        const lines = hunk.lines.slice(0, Math.max(left, 0));
        left -= hunk.lines.length;
        if (lines.length === 0) return null;
        return (
          <tbody key={at}>
            <tr class="hunk">
              <td colSpan={4}>{placeOf(hunk)}</td>
            </tr>
            {lines.map((line, number) => (
              <Line key={number} line={line} words={words} />
            ))}
          </tbody>
        );
      })}
    </table>
  );
}
