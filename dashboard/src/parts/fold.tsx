// Collapsible section.
import type { ComponentChildren } from "preact";

export interface FoldProps {
  readonly title: string;
  /** Short text beside the title. */
  readonly about?: string | undefined;
  readonly open?: boolean;
  readonly children: ComponentChildren;
}

export function Fold({ title, about, open = false, children }: FoldProps) {
  return (
    <details class="fold" open={open}>
      <summary>
        <span class="fold-title">{title}</span> {about && <span class="soft">{about}</span>}
      </summary>
      {children}
    </details>
  );
}
