// Search field for a log, with the number of matches and buttons for the next and the previous one.

export interface FindBarProps {
  readonly text: string;
  readonly found: number;
  /** Index of the current match. */
  readonly at: number;
  readonly whole: boolean;
  readonly onText: (text: string) => void;
  readonly onStep: (step: 1 | -1) => void;
}

export function FindBar({ text, found, at, whole, onText, onStep }: FindBarProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") onText("");
  };
  const where = whole ? "" : " in the loaded part";
  return (
    <search class="find-bar">
      <input
        type="search"
        aria-label="Find in the log"
        placeholder="Find"
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <button type="button" aria-label="Previous match" disabled={found === 0} onClick={() => onStep(-1)}>
        <span aria-hidden="true">↑</span>
      </button>
      <button type="button" aria-label="Next match" disabled={found === 0} onClick={() => onStep(1)}>
        <span aria-hidden="true">↓</span>
      </button>
      <span class="soft find-count" role="status">
        {text !== "" && (found === 0 ? `no match${where}` : `${at + 1} of ${found} lines${where}`)}
      </span>
    </search>
  );
}
