// The visible rows of a log, with empty space in place of the others.
import { rowKey, split } from "./find.ts";
import { drawn, spaceOf, type View } from "./geometry.ts";
import type { Window } from "./window.ts";

interface Row {
  readonly key: string;
  readonly text: string;
}

function rowsBetween({ pieces }: Window, first: number, last: number): readonly Row[] {
  let before = 0;
  return pieces.flatMap(({ from, rows }) => {
    const offset = before;
    before += rows.length;
    if (offset + rows.length <= first || offset >= last) return [];
    const begin = Math.max(first - offset, 0);
    return rows.slice(begin, last - offset).map((text, at) => ({ key: rowKey(from, begin + at), text }));
  });
}

export interface LogRowsProps {
  readonly window: Window;
  readonly view: View;
  readonly find: string;
  /** Key of the row of the current match. */
  readonly current: string;
}

export function LogRows({ window, view, find, current }: LogRowsProps) {
  const { above, inside, below } = spaceOf(window, view.row);
  const { first, last } = drawn(window, view);
  return (
    <div class="log-space" style={{ height: `${above + inside + below}px` }}>
      <div class="log-rows" style={{ top: `${above + first * view.row}px` }}>
        {rowsBetween(window, first, last).map(({ key, text }) => (
          <div key={key} class={key === current ? "log-row log-current" : "log-row"}>
            {find === ""
              ? text
              : split(text, find).map((part, place) =>
                  place % 2 === 1 ? <mark key={place}>{part}</mark> : part,
                )}
          </div>
        ))}
      </div>
    </div>
  );
}
