import { expect, it } from "vitest";
import { pageOf } from "#backtest/page";
import type { Score } from "#backtest/score";

const EVIL = `</script><img src=x onerror=alert(1)>`;

const score = (part: Partial<Score>): Score => ({
  strategy: EVIL,
  runs: 4,
  solved: 3,
  kept: 1,
  saved: 0.25,
  falseStops: 0,
  falseStopInterval: [0, 0.1],
  chances: 2,
  calibration: [{ told: 0.2, came: 0.5, count: 2 }],
  ...part,
});

it("shows strategies, sources and notes as text, whatever their names are", () => {
  const page = pageOf({
    title: EVIL,
    notes: [EVIL],
    scores: [score({}), score({ source: EVIL })],
    curve: [{ value: 10, score: score({ saved: 0.5 }) }],
  });
  expect(page).not.toMatch(/<img|<\/?script/);
  expect(page.match(/&lt;\/script&gt;&lt;img src=x onerror=alert\(1\)&gt;/g)?.length).toBeGreaterThan(8);
  expect(page).toContain("<td>25.0%</td>");
  expect(page).toContain("<td>0.00% to 10.00%</td>");
});
