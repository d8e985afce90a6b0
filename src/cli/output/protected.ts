// Lists what a task protects, grouped by the reason.

import type { Protect, Protection } from "#spec/task";
import { oneLine, plain } from "#text/plain-text";
import { protectionName } from "#text/protection-name";

const WHEN_CHANGED: Readonly<Record<Protect["action"], string>> = {
  restore: "changes are undone",
  fail: "a change ends the run",
  allow: "changes are only reported",
};

const REASON_CHARS = 120;

function row(one: Protection): string {
  const free = (one.except ?? []).length > 0 ? `, except ${one.except?.join(", ")}` : "";
  return `    ${plain(protectionName(one) + free)}${one.grows ? "  (new files may be added)" : ""}`;
}

export function protectedLines(protect: Protect | undefined): string[] {
  if (!protect) return ["nothing is protected"];
  const groups = new Map<string, Protection[]>();
  for (const one of protect.paths) {
    const reason = one.reason ?? "named by the task";
    groups.set(reason, [...(groups.get(reason) ?? []), one]);
  }
  return [
    `protected (${WHEN_CHANGED[protect.action]}):`,
    ...[...groups].flatMap(([reason, paths]) => [`  ${oneLine(reason, REASON_CHARS)}:`, ...paths.map(row)]),
  ];
}
