// One file of a diff: name, counts, and its lines once it is open.
import { useState } from "preact/hooks";
import { ScrollBox } from "../parts/scroll-box.tsx";
import { Counts } from "./counts.tsx";
import { DiffLines } from "./diff-lines.tsx";
import type { DiffFile } from "./parse.ts";
import { useColours } from "./use-colours.ts";

const LINES_AT_ONCE = 250;

const lineCount = ({ hunks }: DiffFile) => hunks.reduce((sum, { lines }) => sum + lines.length, 0);

/** Changes besides those of lines. */
function notesOn({ change, from, modes, binary, hunks }: DiffFile): readonly string[] {
  return [
    ...(change === "changed" ? [] : [from === undefined ? change : `${change} from ${from}`]),
    ...(modes ? [`mode ${modes.before} → ${modes.after}`] : []),
    ...(binary ? ["binary"] : []),
    ...(!binary && hunks.length === 0 && change !== "renamed" && !modes ? ["empty"] : []),
  ];
}

export interface FileSectionProps {
  readonly file: DiffFile;
  readonly id: string;
  readonly open: boolean;
  readonly onToggle: () => void;
}

export function FileSection({ file, id, open, onToggle }: FileSectionProps) {
  const [most, setMost] = useState(LINES_AT_ONCE);
  const words = useColours(file, open);
  const total = lineCount(file);
  return (
    <article class="diff-file" id={id} aria-label={file.path}>
      <h3 class="diff-name">
        <button type="button" class="quiet" aria-expanded={open} onClick={onToggle} disabled={total === 0}>
          <span aria-hidden="true" class="diff-fold">
            {total === 0 ? "·" : open ? "▾" : "▸"}
          </span>{" "}
          <span class="mono">{file.path}</span>
        </button>
        {notesOn(file).map((note) => (
          <span key={note} class="diff-note">
            {note}
          </span>
        ))}
        <Counts added={file.added} removed={file.removed} />
      </h3>
      {open && total > 0 && (
        <ScrollBox class="diff-scroll" label={`Lines of ${file.path}`}>
          <DiffLines file={file} words={words} most={most} />
        </ScrollBox>
      )}
      {open && total > most && (
        <p class="diff-more">
          <button type="button" onClick={() => setMost(most + 2 * LINES_AT_ONCE)}>
            Show more lines ({total - most} left)
          </button>
        </p>
      )}
    </article>
  );
}
