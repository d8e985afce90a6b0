// Reads the last turn from Claude Code's transcript: the assistant's texts and their usage.
import { setTimeout as sleep } from "node:timers/promises";
import type { Usage } from "#spec/agent";
import { readTail } from "#system/files";
import type { HookInput } from "./command-hook.ts";

const TAIL_BYTES = 4 * 1_048_576;
/** Timeout for the transcript, which may be written shortly after the hook call. Needed only when the hook lacks the last message. */
const WAIT_MS = 600;
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

interface TranscriptTurn {
  readonly texts: readonly string[];
  /** True when the turn ends with text, not with a tool call, so that no more entries follow. */
  readonly isComplete?: boolean;
  readonly usage?: Usage;
  readonly model?: string;
}

function parseEntry(line: string): Entry | undefined {
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

/** True for a prompt. Tool results are user entries too. */
function isPrompt(entry: Entry): boolean {
  return entry.type === "user" && !blocks(entry).some(({ type }) => type === "tool_result");
}

const count = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;

/** Sums the usage. One model answer spans several entries, each with the usage so far, so the last one counts. */
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

/** True for the model's own answers, not for placeholders of failed requests. */
const isModelAnswer = ({ type, message }: Entry) => type === "assistant" && message?.model !== "<synthetic>";

/** Reads the turn. Skips entries from before `since`, the start of the iteration: the file may lag behind. */
function readTranscript(file: string, since: string): TranscriptTurn {
  const entries = readTail(file, TAIL_BYTES)
    .split("\n")
    .flatMap((line) => parseEntry(line) ?? []);
  const own = entries
    .slice(entries.findLastIndex(isPrompt) + 1)
    .filter(
      (entry) => isModelAnswer(entry) && !(typeof entry.timestamp === "string" && entry.timestamp < since),
    );
  const texts = own.flatMap((entry) =>
    blocks(entry).flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])),
  );
  const usage = usageOf(own);
  const model = own.findLast(({ message }) => typeof message?.model === "string")?.message?.model;
  const isComplete = blocks(own.at(-1) ?? {}).at(-1)?.type === "text";
  return { texts, isComplete, ...(usage && { usage }), ...(model && { model }) };
}

async function waitForTranscript(file: string, since: string): Promise<TranscriptTurn> {
  for (let elapsed = 0; elapsed < WAIT_MS; elapsed += POLL_MS) {
    const turn = readTranscript(file, since);
    if (turn.isComplete) return turn;
    await sleep(POLL_MS);
  }
  return readTranscript(file, since);
}

/** Returns all texts of the turn. The last message comes with the hook, because the transcript may lag behind. */
export async function readTurn(
  { transcript_path: file, last_assistant_message: last }: HookInput,
  since: string,
) {
  const transcript: TranscriptTurn = file
    ? last
      ? readTranscript(file, since)
      : await waitForTranscript(file, since)
    : { texts: [] };
  const texts =
    last && transcript.texts.at(-1)?.trim() !== last.trim() ? [...transcript.texts, last] : transcript.texts;
  const { usage, model } = transcript;
  return { message: texts.join("\n\n"), ...(usage && { usage }), ...(model && { model }) };
}
