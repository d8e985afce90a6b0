// A diff: the list of its files, each of which can be opened.
import { useMemo, useState } from "preact/hooks";
import { counted } from "#text/format";
import { Counts } from "./counts.tsx";
import { FileSection } from "./file-section.tsx";
import { openFirst } from "./open-first.ts";
import { type DiffFile, parseDiff } from "./parse.ts";

const FILES_AT_ONCE = 200;

const idOf = (at: number) => `changed-file-${at}`;

function scrollToFile(at: number): void {
  const section = document.getElementById(idOf(at));
  section?.scrollIntoView({ block: "start" });
  section?.querySelector("button")?.focus({ preventScroll: true });
}

function FileTotals({ files }: { files: readonly DiffFile[] }) {
  const sum = (key: "added" | "removed") => files.reduce((total, file) => total + file[key], 0);
  return (
    <span>
      {counted(files.length, "file")} <Counts added={sum("added")} removed={sum("removed")} />
    </span>
  );
}

function FileList({ files, onGo }: { files: readonly DiffFile[]; onGo: (at: number) => void }) {
  return (
    <nav class="diff-list" aria-label="Changed files">
      <ul>
        {files.map(({ path, added, removed }, at) => (
          <li key={at}>
            <button type="button" class="quiet" onClick={() => onGo(at)}>
              <span class="mono">{path}</span> <Counts added={added} removed={removed} />
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

export interface DiffProps {
  readonly diff: string;
  readonly truncated: boolean;
}

/** Needs a key, so that every diff starts with fresh state. */
export function Diff({ diff, truncated }: DiffProps) {
  const files = useMemo(() => parseDiff(diff), [diff]);
  const [open, setOpen] = useState(() => openFirst(files));
  const [most, setMost] = useState(FILES_AT_ONCE);
  const shown = files.slice(0, most);

  const toggle = (at: number, to: boolean) => {
    const next = new Set(open);
    if (to) next.add(at);
    else next.delete(at);
    setOpen(next);
  };
  const goTo = (at: number) => {
    toggle(at, true);
    requestAnimationFrame(() => scrollToFile(at));
  };

  if (files.length === 0)
    return <p class="soft">{truncated ? "The diff is too long to show." : "No files differ."}</p>;
  return (
    <>
      {truncated && (
        <p class="diff-truncated" role="status">
          The diff is too long: only its beginning is shown, and the last file may be incomplete.
        </p>
      )}
      <div class="diff-sum">
        <FileTotals files={files} />
        <button type="button" onClick={() => setOpen(new Set())} disabled={open.size === 0}>
          Collapse all
        </button>
      </div>
      <div class="diff-body">
        <FileList files={shown} onGo={goTo} />
        <div class="diff-files">
          {shown.map((file, at) => (
            <FileSection
              key={at}
              id={idOf(at)}
              file={file}
              open={open.has(at)}
              onToggle={() => toggle(at, !open.has(at))}
            />
          ))}
          {files.length > most && (
            <button type="button" onClick={() => setMost(most + FILES_AT_ONCE)}>
              Show more files ({files.length - most} left)
            </button>
          )}
        </div>
      </div>
    </>
  );
}
