import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { junitXml } from "#parsers/junit-xml";
import { junitOf } from "#report/junit";
import { exampleRun, exampleVerdict } from "#testing/run";
import { EVERYTHING, hostile } from "../../support/hostile.ts";
import { factsWith } from "../../support/report-facts.ts";

const TAG =
  /<(?:\?xml version="1\.0" encoding="UTF-8"\?|\/?(?:testsuites|testsuite|testcase|properties|property|failure|error|skipped)(?: [a-z]+="[^"<>&]*(?:&#\d+;[^"<>&]*)*")*\/?)>/g;

describe("the JUnit XML of a report", () => {
  it("has only its own elements and characters that XML allows, whatever gates write", () => {
    const check = (text: string) => {
      const xml = junitOf(factsWith(text));
      const left = xml.replace(TAG, "");
      expect(left).not.toMatch(/[<>"]|&(?!#\d+;)/);
      // Characters that XML 1.0 does not allow.
      expect(xml).not.toMatch(
        /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])/,
      );
      // Two named failures, one case for the unnamed, one gate that errored; one waiting gate, one check.
      expect(junitXml(xml)?.counts).toEqual({ total: 6, passed: 1, failed: 4, skipped: 1 });
    };
    check(EVERYTHING);
    fc.assert(fc.property(hostile, check), { numRuns: 60 });
  });

  it("has a suite for each gate of the final verdict, and none of earlier iterations", () => {
    const failing = (id: string) => ({
      verdicts: [
        {
          gate: "tests",
          verdict: exampleVerdict({
            failures: [{ id, message: "first\nsecond", location: "src/a.ts:12", expected: "1", actual: "2" }],
            tests: { total: 5, passed: 4, failed: 1, skipped: 0 },
          }),
        },
      ],
    });
    const xml = junitOf(factsWith("x", exampleRun([failing("early"), failing("suite > late")])));
    expect(xml.match(/<testsuite /g)).toHaveLength(1);
    expect(xml).not.toContain("early");
    expect(xml).toContain('tests="1" failures="1" errors="0" skipped="0"');
    expect(xml).toContain('<property name="tests.total" value="5"/>');
    expect(xml).toContain('<property name="converge.iteration" value="2"/>');
    expect(xml).toContain('file="src/a.ts" line="12"');
    expect(xml).toContain("first&#10;second&#10;expected: 1&#10;actual: 2");
    expect(junitXml(xml)?.failures).toMatchObject([{ id: "tests > suite > late", location: "src/a.ts:12" }]);
  });
});
