import fc from "fast-check";
import { expect, test } from "vitest";
import { validateDecision } from "#catalog/custom/validate-decision";

const decided = (answer: unknown) => {
  const checked = validateDecision(answer, "custom strategy ./x.mjs");
  return checked.ok ? checked.decision : checked.problem;
};

test("fills in defaults for missing fields", () => {
  const reason = "custom strategy ./x.mjs decided";
  expect(decided({ continue: true })).toEqual({ continue: true, reason, confidence: 0.5 });
  expect(decided({ continue: true, reason: " ", feedback: undefined })).toEqual({
    continue: true,
    reason,
    confidence: 0.5,
  });
});

test("passes on accept, wait and rollbackTo", () => {
  const full = { reason: "r", confidence: 1 };
  expect(decided({ ...full, continue: false, accept: true })).toEqual({
    ...full,
    continue: false,
    accept: true,
  });
  expect(decided({ ...full, continue: false, wait: true })).toEqual({ ...full, continue: false, wait: true });
  expect(decided({ ...full, continue: true, rollbackTo: 0 })).toEqual({
    ...full,
    continue: true,
    rollbackTo: 0,
  });
});

test("rejects contradictory answers", () => {
  expect(decided({ continue: true, wait: true })).toContain("accept and wait go with continue: false");
  expect(decided({ continue: false, rollbackTo: 1 })).toContain("rollbackTo goes with continue: true");
});

test("keeps the action of the older form, and treats `complete` as accept", () => {
  const older = { shouldContinue: false, reason: "enough", action: "complete", metadata: { level: 2 } };
  expect(decided(older)).toEqual({
    continue: false,
    reason: "enough",
    confidence: 0.5,
    accept: true,
    metadata: { level: 2, action: "complete" },
  });
  expect(decided({ shouldContinue: false, reason: "late", action: "timeout" })).toEqual({
    continue: false,
    reason: "late",
    confidence: 0.5,
    metadata: { action: "timeout" },
  });
  expect(decided({ shouldContinue: "no" })).toContain("got { shouldContinue: 'no' }");
});

test("strips control characters, limits lengths and makes metadata storable", () => {
  const decision = decided({
    continue: true,
    reason: `\u001b[31m${"r".repeat(5_000)}`,
    feedback: "f".repeat(50_000),
    metadata: { when: new Date(0), gone: undefined },
  });
  expect(decision).toMatchObject({ metadata: { when: "1970-01-01T00:00:00.000Z" } });
  const { reason, feedback } = decision as { reason: string; feedback: string };
  expect(reason).toMatch(/^r{2000} \[… 3000 characters left out\]$/);
  expect(feedback).toMatch(/^f{20000} \[… 30000 characters left out\]$/);
});

test("turns any value into a storable decision or a bounded error message", () => {
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withMap: true, withNullPrototype: true }), (answer) => {
      const checked = validateDecision(answer, "custom strategy ./x.mjs");
      if (!checked.ok) expect(checked.problem.length).toBeLessThan(2_000);
      else expect(JSON.parse(JSON.stringify(checked.decision))).toEqual(checked.decision);
    }),
  );
  fc.assert(
    fc.property(fc.boolean(), fc.anything(), fc.anything(), (goesOn, metadata, confidence) => {
      const checked = validateDecision({ continue: goesOn, metadata, confidence }, "custom strategy ./x.mjs");
      if (!checked.ok) expect(checked.problem.length).toBeLessThan(5_000);
      else expect(JSON.parse(JSON.stringify(checked.decision))).toEqual(checked.decision);
    }),
  );
});
