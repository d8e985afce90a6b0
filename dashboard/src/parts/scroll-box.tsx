// Scroll container that the keyboard can reach.
import type { ComponentChildren } from "preact";

export interface ScrollBoxProps {
  readonly label: string;
  readonly class: string;
  readonly children: ComponentChildren;
}

export function ScrollBox({ label, class: look, children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <section class={look} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
