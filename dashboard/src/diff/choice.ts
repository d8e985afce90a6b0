// Which difference is looked at, as the address says it: `of` an iteration, the whole run, what came since, or two snapshots.
import { iterationName } from "#text/words";
import { query } from "../api.ts";

export type Choice =
  | { readonly kind: "whole" }
  /** What one iteration did, by its number or as `now`: since the last snapshot. */
  | { readonly kind: "one"; readonly name: string }
  | { readonly kind: "two"; readonly from: string; readonly to: string };

export function choiceIn(search: URLSearchParams): Choice {
  const of = search.get("of");
  const from = search.get("from");
  const to = search.get("to");
  if (from !== null || to !== null) return { kind: "two", from: from ?? "base", to: to ?? "last" };
  return of === null || of === "whole" ? { kind: "whole" } : { kind: "one", name: of };
}

/** As the API wants it. */
export function diffQuery(choice: Choice): string {
  if (choice.kind === "whole") return "";
  return choice.kind === "one" ? query({ from: choice.name }) : query({ from: choice.from, to: choice.to });
}

export function wordsFor(choice: Choice): string {
  if (choice.kind === "whole") return "the whole run";
  if (choice.kind === "two") return `from ${choice.from} to ${choice.to}`;
  return choice.name === "now" ? "since the last snapshot" : iterationName(Number(choice.name));
}

/** It may be another one each time one looks: the agent may be at work in the folder. */
export function ofNow(choice: Choice): boolean {
  if (choice.kind === "two") return choice.from === "now" || choice.to === "now";
  return choice.kind === "one" && choice.name === "now";
}
