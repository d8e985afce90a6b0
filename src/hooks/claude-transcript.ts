// What Claude Code wrote down of the turn that has ended: the assistant's own texts, and what they cost.
import { setTimeout as sleep } from "node:timers/promises";
import type { Usage } from "#spec/agent";
import { readTail } from "#system/files";
import type { HookInput } from "./command-hook.ts";

const TAIL_BYTES = 4 * 1_048_576;
/** The file may be written a moment after the hook is called; only programs that do not tell the last message need it. */
const PATIENCE_MS = 600;
const POLL_MS = 30;

interface Block {
  readonly type?: string;
  readonly text?: string;
}

interface Entry {
  readonly type?: string;
  readonly isSidechain?: boolean;
  readonly timestamp?: string;
  readonly message?: {
    readonly id?: string;
    readonly model?: string;
    readonly content?: string | readonly Block[];
    readonly usage?: Readonly<Record<string, unknown>>;
  };
}

interface Said {
  readonly texts: readonly string[];
  /** It ends with words, not with the call of a tool: nothing more is to come. */
  readonly whole?: boolean;
  readonly usage?: Usage;
  readonly model?: string;
}

function parsed(line: string): Entry | undefined {
  try {
    const entry = JSON.parse(line) as Entry | null;
    return typeof entry === "object" && entry !== null && !entry.isSidechain ? entry : undefined;
  } catch {
    return undefined;
  }
}

function blocks({ message }: Entry): readonly Block[] {
  const content = message?.content;
  return Array.isArray(content) ? content.filter((block) => typeof block === "object" && block !== null) : [];
}

/** Somebody spoke to the session; results of tools come as user entries too. */
function isAsked(entry: Entry): boolean {
  return entry.type === "user" && !blocks(entry).some(({ type }) => type === "tool_result");
}

const count = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;

/** One answer of the model is written down in several entries, each with the usage so far. */
function usageOf(entries: readonly Entry[]): Usage | undefined {
  const answers = new Map(
    entries.flatMap(({ message }) => (message?.usage ? [[message.id, message.usage]] : [])),
  );
  if (answers.size === 0) return undefined;
  let [inputTokens, outputTokens, cachedTokens] = [0, 0, 0];
  for (const usage of answers.values()) {
    const cached = count(usage.cache_read_input_tokens);
    inputTokens += count(usage.input_tokens) + count(usage.cache_creation_input_tokens) + cached;
    outputTokens += count(usage.output_tokens);
    cachedTokens += cached;
  }
  return { inputTokens, outputTokens, cachedTokens };
}

/** Its own words, not those that Claude Code puts in the place of an answer that failed. */
const isSaid = ({ type, message }: Entry) => type === "assistant" && message?.model !== "<synthetic>";

/** `since`: when the iteration began. What was said before is not about it, also when the file lags behind. */
function saidIn(file: string, since: string): Said {
  const entries = readTail(file, TAIL_BYTES)
    .split("\n")
    .flatMap((line) => parsed(line) ?? []);
  const own = entries
    .slice(entries.findLastIndex(isAsked) + 1)
    .filter((entry) => isSaid(entry) && !(typeof entry.timestamp === "string" && entry.timestamp < since));
  const texts = own.flatMap((entry) =>
    blocks(entry).flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])),
  );
  const usage = usageOf(own);
  const model = own.findLast(({ message }) => typeof message?.model === "string")?.message?.model;
  const whole = blocks(own.at(-1) ?? {}).at(-1)?.type === "text";
  return { texts, whole, ...(usage && { usage }), ...(model && { model }) };
}

async function patiently(file: string, since: string): Promise<Said> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    const found = saidIn(file, since);
    if (found.whole) return found;
    await sleep(POLL_MS);
  }
  return saidIn(file, since);
}

/** All that the assistant said in the turn. The last message comes with the hook, whatever the file has by now. */
export async function readTurn(
  { transcript_path: file, last_assistant_message: last }: HookInput,
  since: string,
) {
  const found: Said = file ? (last ? saidIn(file, since) : await patiently(file, since)) : { texts: [] };
  const texts = last && found.texts.at(-1)?.trim() !== last.trim() ? [...found.texts, last] : found.texts;
  const { usage, model } = found;
  return { message: texts.join("\n\n"), ...(usage && { usage }), ...(model && { model }) };
}
