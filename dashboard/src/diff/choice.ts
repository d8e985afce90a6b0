// The selected diff, kept in the address: one iteration, the whole run, the changes since, or two snapshots.
import { query } from "../api.ts";

export type Choice =
  | { readonly kind: "whole" }
  /** One iteration by number, or `now` for the changes since the last snapshot. */
  | { readonly kind: "one"; readonly name: string }
  | { readonly kind: "two"; readonly from: string; readonly to: string };

export function choiceIn(search: URLSearchParams): Choice {
  const of = search.get("of");
  const from = search.get("from");
  const to = search.get("to");
  if (from !== null || to !== null) return { kind: "two", from: from ?? "base", to: to ?? "last" };
  return of === null || of === "whole" ? { kind: "whole" } : { kind: "one", name: of };
}

/** The query of the API request. */
export function diffQuery(choice: Choice): string {
  if (choice.kind === "whole") return "";
  return choice.kind === "one" ? query({ from: choice.name }) : query({ from: choice.from, to: choice.to });
}

export function wordsFor(choice: Choice): string {
  if (choice.kind === "whole") return "the whole run";
  if (choice.kind === "two") return `from ${choice.from} to ${choice.to}`;
  return choice.name === "now" ? "since the last snapshot" : `iteration ${choice.name}`;
}

/** Whether the diff includes the current files, which the agent may be changing. */
export function ofNow(choice: Choice): boolean {
  if (choice.kind === "two") return choice.from === "now" || choice.to === "now";
  return choice.kind === "one" && choice.name === "now";
}
