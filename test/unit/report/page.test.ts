import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageOf } from "#report/page";
import { exampleGate, exampleRun, exampleTask, exampleVerdict } from "#testing/run";
import { EVERYTHING, hostile } from "../../support/hostile.ts";
import { factsWith } from "../../support/report-facts.ts";

const NAMES =
  "html|head|meta|title|body|header|nav|section|div|p|h1|h2|h3|h4|a|ul|ol|li|span|strong|abbr|code|pre|i|dl|dt|dd|table|thead|tbody|tr|th|td|details|summary|svg|line|text|circle|polyline";
const VALUES =
  "class|id|title|scope|content|charset|name|http-equiv|lang|role|aria-label|aria-hidden|viewBox|points|text-anchor|transform|[xyr]|[xy][12]|c[xy]|d[xy]";
const TAG = new RegExp(
  `</?(?:${NAMES})(?: open| href="#[a-z0-9]+"| style="width:[0-9.]+%"| (?:${VALUES})="[^"<>]*")*/?>`,
  "g",
);

/** Removes the style and the allowed tags from the page. */
function rest(page: string): string {
  return page
    .replace("<!doctype html>", "")
    .replace(/<style>[^<]*<\/style>/, "")
    .replace(TAG, "");
}

describe("the page of a report", () => {
  it("has only its own tags and attributes, whatever agents, gates and people write", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const left = rest(pageOf(factsWith(text)));
        return !/[<>]/.test(left);
      }),
      { numRuns: 60 },
    );
    expect(rest(pageOf(factsWith(EVERYTHING)))).not.toMatch(/[<>]/);
  });

  it("contains no scripts and loads no external resources", () => {
    const page = pageOf(factsWith(EVERYTHING));
    expect(page).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    );
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(/);
  });

  it("shows markup in gate names, prompts, agent output and file names as text", () => {
    const evil = `</script><img src=x onerror="alert('1')">`;
    const page = pageOf(factsWith(evil));
    expect(page).not.toMatch(/<img|<\/?script/);
    const shown = "&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;";
    for (const place of [
      `<th scope="row">one ${shown}</th>`,
      `<h1>${shown}</h1>`,
      `<code>${shown}</code> <span class="plus">`,
      `<span class="add">+${shown}</span>`,
      `<pre>${shown}`,
      `<title>stopped: ${shown}</title>`,
    ])
      expect(page).toContain(place);
  });

  it("shows curve with best and decisions, gates, failures, decisions, costs, diffs, people, delivery", () => {
    const page = pageOf(factsWith("a word"));
    const shown = [
      'class="overall"',
      'class="g3"',
      'class="best"',
      'class="decision wait"',
      '<td class="errored"',
      'href="#i1g0"',
      'id="i1g0"',
      "and 3 more",
      "&quot;a word&quot;: [",
      "$0.50",
      '<span class="add">+a word</span>',
      "converge diff example",
      "a word approved a word",
      "restored before the gates judged",
    ];
    expect(shown.filter((part) => !page.includes(part))).toEqual([]);
  });

  it("marks newly failing tests", () => {
    const failing = (...ids: string[]) => ({
      verdicts: [
        { gate: "tests", verdict: exampleVerdict({ failures: ids.map((id) => ({ id, message: id })) }) },
      ],
    });
    const run = exampleRun([failing("old"), failing("old", "fresh")], { baseline: { verdicts: [] } });
    const page = pageOf(factsWith("x", run));
    expect(page.match(/fresh <span class="tag">new/g)).toHaveLength(1);
    expect(page).not.toMatch(/old <span class="tag">new/);
  });

  it("stays readable with many gates and hundreds of iterations", () => {
    const task = exampleTask({ gates: Array.from({ length: 30 }, (_, at) => exampleGate(`gate ${at}`)) });
    const verdict = exampleVerdict({
      failures: Array.from({ length: 200 }, (_, at) => ({ id: `test ${at}`, message: "m".repeat(5_000) })),
    });
    const verdicts = [{ gate: "gate 0", verdict }];
    const run = exampleRun(
      Array.from({ length: 400 }, () => ({ verdicts })),
      { task },
    );
    const page = pageOf(factsWith("x", run));
    expect(page.length).toBeLessThan(6_000_000);
    expect(page).toContain("and 22 more gates");
    expect(page).toContain("Failures are listed for the last 40 iterations");
    expect(page).toContain("and 170 more");
  });

  it("shows a placeholder in each empty section", () => {
    const page = pageOf({
      ...factsWith("x", exampleRun([], { baseline: { verdicts: [], score: null } })),
      diffs: [],
      commands: [],
    });
    for (const text of [
      "No gate has judged yet",
      "Nothing has been decided yet",
      "The run changed nothing",
      "No person sent a command",
    ])
      expect(page).toContain(text);
  });
});
