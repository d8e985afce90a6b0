// Renders the final verdict as JUnit XML with one suite per gate, for CI systems.
import type { Judged } from "#spec/run";
import type { Failure, Verdict } from "#spec/verdict";
import { head, oneLine, plain } from "#text/plain-text";
import { commandText, stateName } from "#text/words";
import type { ReportFacts } from "./facts.ts";

const TEXT_CHARS = 8_000;
const NAME_CHARS = 500;

/** Escapes text for XML and replaces characters that XML 1.0 does not allow. */
function xml(text: string, most = TEXT_CHARS): string {
  const legal = head(plain(text), most).replace(/[\ufffe\uffff]/g, "\ufffd");
  return legal.replace(/[&<>"'\n\t]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

interface Case {
  readonly name: string;
  readonly kind: "passed" | "failure" | "error" | "skipped";
  readonly message?: string;
  readonly text?: string;
  readonly location?: string;
}

function failureCase({ id, message, location, expected, actual }: Failure, gate: string): Case {
  const [first = ""] = plain(message).split("\n", 1);
  const difference = [
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(actual === undefined ? [] : [`actual: ${actual}`]),
  ];
  return {
    name: id ?? gate,
    kind: "failure",
    message: first,
    text: [message, ...difference].join("\n"),
    ...(location !== undefined && { location }),
  };
}

/** One case for the failures that the verdict counts without naming them. */
function unnamedFailures({ tests, failures }: Verdict): Case[] {
  const more = (tests?.failed ?? 0) - failures.length;
  return more > 0 && failures.length > 0
    ? [
        {
          name: `${more} more failed`,
          kind: "failure",
          message: "not named in the verdict; see the logs",
        },
      ]
    : [];
}

const CHECK_KINDS = {
  passed: "passed",
  warned: "passed",
  "not-run": "skipped",
  failed: "failure",
  errored: "error",
} as const;

/** A verdict does not name passing tests, so the gate itself or its checks stand for them. */
function casesOf({ gate, verdict }: Judged): Case[] {
  const { status, summary, failures, checks = [] } = verdict;
  if (status === "waiting" || status === "skipped")
    return [{ name: gate, kind: "skipped", message: summary }];
  if (status === "errored")
    return [
      {
        name: gate,
        kind: "error",
        message: summary,
        text: failures.map(({ message }) => message).join("\n"),
      },
    ];
  const reported = status === "failed" ? failures : [];
  const named = new Set(reported.map(({ id }) => id));
  const others = checks
    .filter(({ id }) => !named.has(id))
    .map(({ id, status: result }): Case => ({ name: id, kind: CHECK_KINDS[result] }));
  const list = [
    ...reported.map((one) => failureCase(one, gate)),
    ...(status === "failed" ? unnamedFailures(verdict) : []),
    ...others,
  ];
  const gateCase: Case =
    status === "passed" ? { name: gate, kind: "passed" } : { name: gate, kind: "failure", message: summary };
  const isCovered =
    status === "passed" ? list.length > 0 : list.some(({ kind }) => kind === "failure" || kind === "error");
  return isCovered ? list : [gateCase, ...list];
}

function caseXml({ name, kind, message = "", text = "", location }: Case, gate: string): string {
  const [file, line] = location === undefined ? [] : (/^(.+?):(\d+)/.exec(location)?.slice(1) ?? []);
  const position = file === undefined ? "" : ` file="${xml(file, NAME_CHARS)}" line="${line}"`;
  const open = `    <testcase classname="${xml(gate, NAME_CHARS)}" name="${xml(oneLine(name, NAME_CHARS))}"${position}`;
  if (kind === "passed") return `${open}/>`;
  const why = `<${kind} message="${xml(oneLine(message, NAME_CHARS))}"`;
  return `${open}>\n      ${kind === "skipped" || text === "" ? `${why}/>` : `${why}>${xml(text)}</${kind}>`}\n    </testcase>`;
}

const property = ([name, value]: readonly [string, string | number]): string =>
  `<property name="${xml(name)}" value="${xml(String(value), NAME_CHARS)}"/>`;

const properties = (list: readonly (readonly [string, string | number])[]): string =>
  `    <properties>\n      ${list.map(property).join("\n      ")}\n    </properties>`;

function countsOf(cases: readonly Case[]): string {
  const count = (kind: Case["kind"]) => cases.filter((one) => one.kind === kind).length;
  return `tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}"`;
}

function suite(
  judged: Judged,
  facts: ReportFacts,
): { readonly text: string; readonly cases: readonly Case[] } {
  const { gate, verdict } = judged;
  const { overview, final } = facts;
  const cases = casesOf(judged);
  const { tests } = verdict;
  const list: (readonly [string, string | number])[] = [
    ["converge.run", overview.id],
    ["converge.state", stateName(overview.state, overview.partial)],
    ["converge.iteration", final?.number ?? 0],
    ["converge.tree", final?.snapshot?.tree ?? ""],
    ["converge.agent", overview.agent],
    ["converge.strategy", overview.strategy],
    ["gate.status", verdict.status],
    ["gate.score", verdict.score],
    ["gate.summary", verdict.summary],
    ...(tests
      ? Object.entries(tests).map(([name, value]) => [`tests.${name}`, value as number] as const)
      : []),
    ...(final?.approvals ?? [])
      .filter((one) => one.gate === gate)
      .map((one) => [`gate.${one.type}`, [one.by, commandText(one)].filter(Boolean).join(": ")] as const),
  ];
  const seconds = (verdict.durationMs / 1000).toFixed(3);
  const text = [
    `  <testsuite name="${xml(oneLine(gate, NAME_CHARS))}" ${countsOf(cases)} time="${seconds}" timestamp="${xml(final?.startedAt ?? "")}" hostname="${xml(overview.host, NAME_CHARS)}">`,
    properties(list),
    ...cases.map((one) => caseXml(one, gate)),
    "  </testsuite>",
  ].join("\n");
  return { text, cases };
}

export function junitOf(facts: ReportFacts): string {
  const suites = (facts.final?.verdicts ?? []).map((judged) => suite(judged, facts));
  const counts = countsOf(suites.flatMap(({ cases }) => cases));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xml(`converge ${facts.overview.id}`)}" ${counts} time="${(facts.overview.elapsedMs / 1000).toFixed(3)}">`,
    ...suites.map(({ text }) => text),
    "</testsuites>",
    "",
  ].join("\n");
}
