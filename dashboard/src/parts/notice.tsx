// Message box.
import type { ComponentChildren } from "preact";

export interface NoticeProps {
  readonly tone: "plain" | "bad" | "warn" | "good";
  readonly title?: string;
  readonly children?: ComponentChildren;
}

export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`} role={tone === "bad" ? "alert" : undefined}>
      {title && <h2 class="notice-title">{title}</h2>}
      {children}
    </div>
  );
}
