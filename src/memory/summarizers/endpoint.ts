// Uses an OpenAI-compatible chat completions endpoint as a summarizer. The key is sent to its URL only.
import fs from "node:fs";
import path from "node:path";
import type { Note } from "#spec/note";
import { openLog, writePrivate } from "#system/files";
import { bodyOf, isPrivate, networkReason } from "#system/http";
import { secrets } from "#system/secrets/secrets";
import { oneLine } from "#text/plain-text";
import { readCompletion, readErrorMessage } from "./completion.ts";
import { noSummary, type Summarizer } from "./summarizer.ts";

export interface EndpointOptions {
  /** With or without /chat/completions. */
  readonly url: string;
  readonly model: string;
  /** Name of the environment variable with the key. */
  readonly keyEnv?: string;
}

const DEFAULT_KEY = "OPENAI_API_KEY";
const PATH = "/chat/completions";
const BODY_BYTES = 1024 * 1024;

function addressOf(configuredUrl: string): URL {
  const url = new URL(configuredUrl);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith(PATH) ? path : path + PATH;
  return url;
}

/** Uses the default key if set, but never sends it unencrypted off the machine unless keyEnv names it. */
function keyFor(url: URL, keyEnv: string | undefined): string | undefined {
  if (keyEnv === undefined && !isPrivate(url)) return undefined;
  return process.env[keyEnv ?? DEFAULT_KEY]?.trim() || undefined;
}

/** Why the key cannot be used. Checked here, because fetch would quote a bad header in its error. */
function keyProblem(key: string | undefined, keyEnv: string | undefined): string | undefined {
  if (key === undefined) return keyEnv && `no key: ${keyEnv} is not set; set it, or remove keyEnv`;
  if (/^[\x21-\x7e]+$/.test(key)) return undefined;
  return `${keyEnv ?? DEFAULT_KEY} has characters that are not allowed in a key; set it to the key alone`;
}

function advice(status: number, keyEnv: string | undefined): string {
  if (status === 401 || status === 403) return `; check the key in ${keyEnv ?? DEFAULT_KEY}`;
  return status === 404 ? "; check url and model" : "";
}

interface Endpoint {
  readonly url: URL;
  readonly keyEnv: string | undefined;
}

function noteFrom({ ok, status }: Response, body: string | undefined, { url, keyEnv }: Endpoint): Note {
  if (body === undefined) return noSummary(`the response of ${url.host} is larger than ${BODY_BYTES} bytes`);
  if (status >= 300 && status < 400)
    return noSummary(`${url.host} redirects (HTTP ${status}), and redirects are not followed; correct url`);
  if (!ok) {
    const message = oneLine(readErrorMessage(body) ?? "", 200);
    return noSummary(
      `${url.host} answered HTTP ${status}${message && `: ${message}`}${advice(status, keyEnv)}`,
    );
  }
  const completion = readCompletion(body);
  if (completion) return completion;
  return noSummary(
    `${url.host} does not answer like a chat completions endpoint: expected JSON with choices[0].message.content; check url`,
  );
}

function logTo(file: string, body: string): void {
  const log = openLog(file);
  fs.writeSync(log, `${secrets.mask(body)}\n`);
  fs.closeSync(log);
}

export function endpoint({ url: configuredUrl, model, keyEnv }: EndpointOptions): Summarizer {
  const url = addressOf(configuredUrl);
  if (keyEnv !== undefined) secrets.learn([keyEnv]);
  return async ({ prompt, files }, signal) => {
    writePrivate(path.join(files, "prompt.md"), prompt);
    const key = keyFor(url, keyEnv);
    const problem = keyProblem(key, keyEnv);
    if (problem) return noSummary(problem);
    try {
      const response = await fetch(url.href, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "user-agent": "converge",
          ...(key && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ model, messages: [{ role: "user", content: prompt }] }),
        redirect: "manual",
        signal,
      });
      const bytes = await bodyOf(response, BODY_BYTES, "all");
      // Mask the key in case the server echoes it.
      const body = key ? bytes?.toString("utf8").replaceAll(key, "***") : bytes?.toString("utf8");
      if (body) logTo(path.join(files, "stdout.log"), body);
      return noteFrom(response, body, { url, keyEnv });
    } catch (error) {
      return noSummary(
        `the request to ${url.host} failed (${networkReason(error)}); check that it runs, and check url`,
      );
    }
  };
}
