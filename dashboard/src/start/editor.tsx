// Text editor with line numbers; lines with problems are marked.
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";

export interface EditorProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly marked: ReadonlySet<number>;
  readonly invalid: boolean;
  readonly describedBy: string;
  readonly area: RefObject<HTMLTextAreaElement | null>;
}

const LEAST_LINES = 18;

/** Tab indents; Escape, then Tab, leaves the field. */
function useTab(onText: (text: string) => void) {
  const leaving = useRef(false);
  return (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => {
    if (event.key === "Tab" && !event.shiftKey && !leaving.current) {
      event.preventDefault();
      const area = event.currentTarget;
      area.setRangeText("  ", area.selectionStart, area.selectionEnd, "end");
      onText(area.value);
    }
    leaving.current = event.key === "Escape";
  };
}

export function Editor({ text, onText, marked, invalid, describedBy, area }: EditorProps) {
  const gutter = useRef<HTMLDivElement>(null);
  const onKeyDown = useTab(onText);
  const lines = text.split("\n").length;
  return (
    <div class="editor">
      <div ref={gutter} class="editor-gutter" aria-hidden="true">
        {Array.from({ length: lines }, (_, at) => (
          <div key={at} class={marked.has(at + 1) ? "editor-bad" : undefined}>
            {at + 1}
          </div>
        ))}
      </div>
      <textarea
        ref={area}
        aria-label="Task file"
        aria-invalid={invalid}
        aria-describedby={describedBy}
        rows={Math.min(Math.max(lines + 1, LEAST_LINES), 40)}
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onScroll={(event) => {
          if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}
