// Reads a report file: JUnit XML, or the saved output of any runner.
import { plain } from "#spec/text";
import { junitXml } from "./junit-xml.ts";
import { recognise } from "./recognise.ts";
import type { TestReport } from "./report.ts";

export function readReport(text: string): TestReport | undefined {
  const isXml = text.replace("\ufeff", "").trimStart().startsWith("<");
  return isXml ? junitXml(plain(text)) : recognise(text);
}
