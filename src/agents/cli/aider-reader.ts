// What aider prints for people: words, edits, a line of counts after each answer, and errors. It ends with 0 after errors too.
import type { Usage } from "#spec/agent";
import { classify } from "../shared/classify-failure.ts";
import type { Ended, Failed, Reader, Report, Shown } from "../shared/driver.ts";
import { known, sum } from "../shared/read-json.ts";
import { joined, latestLines } from "./bounded.ts";

const COUNTS =
  /^Tokens: ([\d.]+k?) sent(?:, ([\d.]+k?) cache write)?(?:, ([\d.]+k?) cache hit)?, ([\d.]+k?) received\./;
const COST = /Cost: \$[\d.]+ message, \$([\d.]+) session\./;
const MODEL = /^(?:Main model|Model): (\S+) with /;
const EDIT = /^Applied edit to (.+)$/;
/** What it says of itself before the model says anything, and between answers. */
const NOTICE =
  /^(?:Aider v|(?:Main |Weak |Editor )?[Mm]odel: |Git repo: |Repo-map: |Added .* to the chat|Warning for |Use \/help |Retrying in |Warning: |─+$)/;
const ERROR =
  /^(?:litellm\.\w*(?:Error|Timeout)\b|The API provider\b|Permission was denied\. Check |Insufficient credits |No LLM model was specified|Model \S+ has hit a token limit!)/;

/** 853, 1.2k, 34k */
function tokens(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return text.endsWith("k") ? Math.round(Number.parseFloat(text) * 1_000) : Number.parseFloat(text);
}

/** What was sent has the cached part in it; the cost is that of the whole session. */
function added(before: Usage, line: string): Usage {
  const [, sent, , hit, received] = COUNTS.exec(line) ?? [];
  return known({
    ...before,
    inputTokens: sum(before.inputTokens, tokens(sent)),
    outputTokens: sum(before.outputTokens, tokens(received)),
    cachedTokens: sum(before.cachedTokens, tokens(hit)),
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
  let saying = "";

  /** The counts come after a whole answer: what went wrong before it was made good. */
  const onCounts = (line: string): void => {
    usage = added(usage, line);
    errors = latestLines();
    message = saying.trim() === "" ? message : saying;
    saying = "";
  };

  const onWords = (line: string): Shown[] => {
    if (ERROR.test(line)) errors.add(line);
    if (NOTICE.test(line)) return [];
    saying = joined(saying, `${line}\n`);
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
        const edited = EDIT.exec(text)?.[1];
        return edited === undefined ? onWords(text) : [{ tool: "edit", text: edited }];
      }
      return [];
    },
    end: (ended): Report => {
      const failed = failureOf(errors.text(), ended);
      return { message: message || saying, usage, ...(model !== "" && { model }), ...(failed && { failed }) };
    },
  };
}
