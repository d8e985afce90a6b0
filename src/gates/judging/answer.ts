// Parses the judge's answer: one JSON object of a fixed shape, identified by its nonce.
import { isObject } from "#text/json";

export interface Finding {
  readonly message: string;
  readonly location?: string;
}

export interface Answer {
  readonly verdict: "pass" | "fail";
  readonly score: number;
  readonly findings: readonly Finding[];
}

export const EXPECTED =
  'expected one JSON object with exactly the keys nonce (from the prompt), verdict ("pass" or "fail"), score (0 to 1) and findings (a list of {message, location})';

/** Reads only the end of longer messages, because the answer comes last. */
const READ_CHARS = 16_000;

/** Index of the end of the object that starts at `start`; undefined when it is incomplete. */
function endOf(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (inString) {
      if (sign === "\\") at++;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === "{") depth++;
    else if (sign === "}" && --depth === 0) return at + 1;
  }
  return undefined;
}

const hasOnly = (value: object, keys: readonly string[]) =>
  Object.keys(value).every((key) => keys.includes(key));

function isFinding(value: unknown): value is Finding {
  if (!isObject(value) || !hasOnly(value, ["message", "location"])) return false;
  const { message, location } = value;
  return (
    typeof message === "string" &&
    message.trim() !== "" &&
    (location === undefined || typeof location === "string")
  );
}

function answerIn(json: string, nonce: string): Answer | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!isObject(value) || !hasOnly(value, ["nonce", "verdict", "score", "findings"])) return undefined;
  const { verdict, score, findings } = value;
  const fits =
    value.nonce === nonce &&
    (verdict === "pass" || verdict === "fail") &&
    typeof score === "number" &&
    score >= 0 &&
    score <= 1 &&
    Array.isArray(findings) &&
    findings.every(isFinding);
  return fits ? { verdict, score, findings } : undefined;
}

/** The last valid object with the nonce; undefined when there is none. */
export function readAnswer(message: string, nonce: string): Answer | undefined {
  const text = message.slice(-READ_CHARS);
  const last = text.lastIndexOf(nonce);
  for (let start = text.lastIndexOf("{", last); start >= 0 && last >= 0; ) {
    const end = endOf(text, start);
    const answer = end === undefined ? undefined : answerIn(text.slice(start, end), nonce);
    if (answer) return answer;
    if (start === 0) return undefined;
    start = text.lastIndexOf("{", start - 1);
  }
  return undefined;
}
