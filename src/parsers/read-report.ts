// Reads a report file: JUnit XML, trx, JSON, or the saved output of any runner.
import { plain } from "#text/plain-text";
import { junitXml } from "./junit-xml.ts";
import { recognise } from "./recognise.ts";
import type { TestReport } from "./shared/report.ts";
import { trx } from "./trx.ts";

export function readReport(text: string): TestReport | undefined {
  const isXml = text.replace("\ufeff", "").trimStart().startsWith("<");
  if (!isXml) return recognise(text);
  const xml = plain(text);
  return trx(xml) ?? junitXml(xml);
}
