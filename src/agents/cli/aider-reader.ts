// Parses aider's plain-text output: text, edits, token counts and errors. Aider exits with 0 after errors too.

import { dropUndefined } from "#options/option";
import { sumUsage } from "#rules/usage";
import type { Usage } from "#spec/agent";
import { classify } from "../shared/classify-failure.ts";
import type { Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import { appendBounded, latestLines } from "./bounded.ts";

const COUNTS =
  /^Tokens: ([\d.]+k?) sent(?:, ([\d.]+k?) cache write)?(?:, ([\d.]+k?) cache hit)?, ([\d.]+k?) received\./;
const COST = /Cost: \$[\d.]+ message, \$([\d.]+) session\./;
const MODEL = /^(?:Main model|Model): (\S+) with /;
const EDIT = /^Applied edit to (.+)$/;
/** Aider's own notices, before and between answers of the model. */
const NOTICE =
  /^(?:Aider v|(?:Main |Weak |Editor )?[Mm]odel: |Git repo: |Repo-map: |Added .* to the chat|Warning for |Use \/help |Retrying in |Warning: |─+$)/;
const ERROR =
  /^(?:litellm\.\w*(?:Error|Timeout)\b|The API provider\b|Permission was denied\. Check |Insufficient credits |No LLM model was specified|Model \S+ has hit a token limit!)/;

/** Parses 853, 1.2k, 34k. */
function parseCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return text.endsWith("k") ? Math.round(Number.parseFloat(text) * 1_000) : Number.parseFloat(text);
}

/** Sent tokens include cached ones; the cost is of the whole session. */
function usageIn(line: string): Usage {
  const [, sent, , hit, received] = COUNTS.exec(line) ?? [];
  return dropUndefined({
    inputTokens: parseCount(sent),
    outputTokens: parseCount(received),
    cachedTokens: parseCount(hit),
  });
}

function failureOf(errors: string, ended: Ended): Failed | undefined {
  if (errors === "") return undefined;
  return classify(errors, ended.now) ?? { failure: "crashed", reason: errors };
}

export function aiderText(): Reader {
  let errors = latestLines();
  let usage: Usage = {};
  let model = "";
  let message = "";
  let current = "";

  /** Counts follow a complete answer, so earlier errors were recovered. */
  const onCounts = (line: string): void => {
    usage = sumUsage([usage, usageIn(line)]);
    errors = latestLines();
    message = current.trim() === "" ? message : current;
    current = "";
  };

  const onText = (line: string): Shown[] => {
    if (ERROR.test(line)) errors.add(line);
    if (NOTICE.test(line)) return [];
    current = appendBounded(current, `${line}\n`);
    return line.trim() === "" ? [] : [{ text: line }];
  };

  return {
    line: (line) => {
      const text = line.trimEnd();
      model = MODEL.exec(text)?.[1] ?? model;
      const cost = COST.exec(text)?.[1];
      if (cost !== undefined) usage = { ...usage, costUsd: Number.parseFloat(cost) };
      if (COUNTS.test(text)) onCounts(text);
      else if (cost === undefined) {
        const editedFile = EDIT.exec(text)?.[1];
        return editedFile === undefined ? onText(text) : [{ tool: "edit", text: editedFile }];
      }
      return [];
    },
    end: (ended): Report => {
      const failed = failureOf(errors.text(), ended);
      return {
        message: message || current,
        usage,
        ...(model !== "" && { model }),
        ...(failed && { failed }),
      };
    },
  };
}
