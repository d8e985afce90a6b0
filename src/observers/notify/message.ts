// Sends one message to one recipient by webhook, Slack, command or desktop.
import { createHmac } from "node:crypto";
import type { Notice, Notify } from "#spec/notify";
import { type Posted, post } from "#system/http-post";
import { displayAddress, type FindAddress } from "./addresses.ts";
import { showOnDesktop } from "./desktop.ts";
import { figures, headline } from "./notice.ts";
import { runCommand } from "./notify-command.ts";

export interface Delivery {
  /** The same on every retry, so that a receiver can discard duplicates. */
  readonly id: string;
  readonly to: Notify;
  readonly notice: Notice;
}

export interface DeliveryTools {
  readonly find: FindAddress;
  /** Folder for the input and output of commands. */
  readonly files: string;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 10_000;

/** Escapes `&`, `<` and `>` for Slack, and breaks mentions and links that compatible receivers would parse. */
function neutralize(text: string): string {
  return text
    .replaceAll("@", "＠")
    .replaceAll("://", "[:]//")
    .replaceAll("](", "] (")
    .replace(/\bwww\./gi, "www[.]")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

/** The body for Slack and compatible webhooks. An agent's text can neither mention people nor create links. */
function slackBody(notice: Notice): unknown {
  const { title, gate, reason, workspace } = notice;
  const why = gate === undefined ? reason : `${gate}: ${reason}`;
  return {
    text: [headline(notice), title, why, `${figures(notice)}, in ${workspace}`].map(neutralize).join("\n"),
    mrkdwn: false,
    parse: "none",
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** The name of a recipient in warnings. */
export function nameOf(to: Notify): string {
  return "address" in to ? `${to.type} ${displayAddress(to.address)}` : to.type;
}

/** HMAC-SHA-256 with the secret over timestamp and body, exactly as they are sent. */
function signature(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}

type HttpRecipient = Extract<Notify, { type: "webhook" | "slack" }>;
type Webhook = Extract<Notify, { type: "webhook" }>;

/** Throws when a variable is not set: no message is better than an unsigned one. */
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

/** A variable that this process does not have; the next process may. */
class MissingError extends Error {}

async function send(
  to: HttpRecipient,
  { id, notice }: Delivery,
  { find, signal }: DeliveryTools,
): Promise<Posted> {
  const lookup = find(to.address);
  if ("problem" in lookup) return { ok: false, why: lookup.problem, again: "later" };
  const body = JSON.stringify(to.type === "slack" ? slackBody(notice) : { id, ...notice });
  try {
    const extra = to.type === "slack" ? {} : headersOf(to, body);
    const headers = { ...extra, "converge-event": notice.event, "converge-delivery": id };
    return await post({ url: lookup.url, body, headers, timeoutMs: TIMEOUT_MS, signal });
  } catch (error) {
    if (!(error instanceof MissingError)) throw error;
    return { ok: false, why: error.message, again: "later" };
  }
}

/** Makes one attempt. Never rejects. */
export async function attemptDelivery(delivery: Delivery, tools: DeliveryTools): Promise<Posted> {
  const { id, to, notice } = delivery;
  switch (to.type) {
    case "webhook":
    case "slack":
      return send(to, delivery, tools);
    case "command":
      return runCommand(to.command, { id, notice }, tools);
    case "desktop":
      return showOnDesktop(notice);
  }
}
