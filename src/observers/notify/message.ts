// One message to one of those who are to be told, and the ways that it can go.
import { createHmac } from "node:crypto";
import type { Notice, Notify } from "#spec/notify";
import { type Posted, post } from "#system/http-post";
import { type FindAddress, shownAddress } from "./addresses.ts";
import { showOnDesktop } from "./desktop.ts";
import { runCommand } from "./notify-command.ts";
import { slackBody } from "./slack.ts";

export interface Delivery {
  /** The same however often it is tried, so that a receiver can tell a message from its repetition. */
  readonly id: string;
  readonly to: Notify;
  readonly notice: Notice;
}

export interface Means {
  readonly find: FindAddress;
  /** Folder for what commands read and print. */
  readonly files: string;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;

/** How somebody is called in messages. */
export function nameOf(to: Notify): string {
  return "address" in to ? `${to.type} ${shownAddress(to.address)}` : to.type;
}

/** The delivery in the words of a receiver: SHA-256 with the secret, over the time and the body as they were sent. */
function signature(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}

type Sent = Extract<Notify, { type: "webhook" | "slack" }>;
type Webhook = Extract<Notify, { type: "webhook" }>;

/** Throws what is missing: an unsigned message would be worse than none. */
function headersOf({ headers, secretEnv }: Webhook, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const fromVariable = (name: string) => {
    const value = process.env[name]?.trim();
    if (!value) throw new MissingError(`the variable ${name} is not set`);
    return value;
  };
  const given = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === "string" ? value : fromVariable(value.env),
  ]);
  return {
    ...Object.fromEntries(given),
    "converge-timestamp": timestamp,
    ...(secretEnv && { "converge-signature": signature(fromVariable(secretEnv), timestamp, body) }),
  };
}

/** Not there in this process; it may be in the next. */
class MissingError extends Error {}

async function send(to: Sent, { id, notice }: Delivery, { find, signal }: Means): Promise<Posted> {
  const found = find(to.address);
  if ("problem" in found) return { ok: false, why: found.problem, again: "later" };
  const body = JSON.stringify(to.type === "slack" ? slackBody(notice) : { id, ...notice });
  try {
    const own = to.type === "slack" ? {} : headersOf(to, body);
    const headers = { ...own, "converge-event": notice.event, "converge-delivery": id };
    return await post({ url: found.url, body, headers, timeoutMs: TIMEOUT_MS, signal });
  } catch (error) {
    if (!(error instanceof MissingError)) throw error;
    return { ok: false, why: error.message, again: "later" };
  }
}

/** One try. Never rejects. */
export async function tryDelivery(delivery: Delivery, means: Means): Promise<Posted> {
  const { id, to, notice } = delivery;
  switch (to.type) {
    case "webhook":
    case "slack":
      return send(to, delivery, means);
    case "command":
      return runCommand(to.command, id, notice, means);
    case "desktop":
      return showOnDesktop(notice);
  }
}
