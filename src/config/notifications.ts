// Notifications and telemetry: their options, and what the task stores of them. URLs are treated as secrets: no message
// quotes one, and no task stores one.
import { createHash } from "node:crypto";
import * as z from "zod";
import { dropUndefined, option, requiredOption } from "#options/option";
import { listed, wordsOr } from "#options/sentence";
import { text } from "#options/values";
import { type Address, NOTABLE, type Notable, type Notify } from "#spec/notify";
import { looksSecret } from "#system/secrets/secrets";

/** Without those that a person causes, who knows of them: `stopped`, `delivered`, `restored`. */
const DEFAULT_EVENTS: Notable[] = ["converged", "diverged", "waiting", "blocked", "escalated", "error"];
const CHANNELS = ["webhook", "slack", "command", "desktop"] as const;
/** Headers that Converge or the HTTP connection sets. */
const RESERVED = /^(converge-.*|content-.*|host|connection|transfer-encoding)$/i;

/** Describes an invalid URL; undefined for a valid one. */
function urlProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return "expected a whole URL, like https://example.com/hook";
  const { protocol, username, password } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return `expected https: or http:, got ${protocol}`;
  return username || password ? "expected a URL without user name and password" : undefined;
}

const httpUrl = text.superRefine((url, context) => {
  const message = urlProblem(url);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

const variable = z.string().regex(/^[A-Za-z_]\w*$/, { error: "expected the name of a variable" });

const addressMap = z.strictObject({
  urlEnv: requiredOption({ schema: variable, doc: "Name of the environment variable that holds the URL." }),
});

const address = z.union([httpUrl.transform((url) => ({ url })), addressMap], {
  error: ({ input }) =>
    typeof input === "string" ? (urlProblem(input) ?? "") : "expected a URL or {urlEnv: NAME}",
});

type AddressEntry = z.output<typeof address>;

const headerMap = z.strictObject({
  env: requiredOption({ schema: variable, doc: "Name of the environment variable that holds the value." }),
});

const header = z.union([text, headerMap], {
  error: "expected a text or {env: NAME}",
});

const headers = z.record(z.string(), header).superRefine((values, context) => {
  const addIssue = (name: string, message: string) =>
    context.addIssue({ code: "custom", path: [name], message });
  for (const [name, value] of Object.entries(values)) {
    const literal = typeof value === "string" ? value : "";
    if (RESERVED.test(name)) addIssue(name, "is set by Converge itself");
    else if (!isHeader(name, literal)) addIssue(name, "expected the name and the value of an HTTP header");
    else if (literal && (/^(proxy-)?authorization$|^cookie$/i.test(name) || looksSecret(name, literal)))
      addIssue(
        name,
        "looks like a secret and would be stored with the run; set it in the environment: {env: NAME}",
      );
  }
});

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false;
  }
}

/** Options that only a webhook has. */
const WEBHOOK_OPTIONS = ["secretEnv", "headers"] as const;

export const notification = z
  .strictObject({
    webhook: option({ schema: address, doc: "URL that receives each event as JSON." }),
    slack: option({ schema: address, doc: "URL of a Slack incoming webhook." }),
    command: option({ schema: text, doc: "Shell command that runs for each event." }),
    desktop: option({ schema: z.literal(true), doc: "Shows a desktop notification." }),
    on: option({
      schema: z.array(z.enum(NOTABLE)).min(1),
      default: DEFAULT_EVENTS,
      doc: "Events that are sent.",
    }),
    secretEnv: option({
      schema: variable,
      doc: "Environment variable with the secret that signs the messages of a webhook.",
    }),
    headers: option({
      schema: headers,
      doc: "Further HTTP headers of a webhook, as text or as `{env: NAME}`.",
    }),
  })
  .superRefine((entry, context) => {
    const channels = CHANNELS.filter((channel) => entry[channel] !== undefined);
    if (channels.length !== 1)
      context.addIssue({
        code: "custom",
        message: `expected one of ${listed(CHANNELS)}, got ${channels.length === 0 ? "none" : channels.join(" and ")}`,
      });
    for (const key of WEBHOOK_OPTIONS)
      if (entry[key] !== undefined && entry.webhook === undefined)
        context.addIssue({ code: "custom", path: [key], message: "has no effect without webhook" });
  });

type NotifyEntry = z.output<typeof notification>;

const telemetryMap = z.strictObject({
  endpoint: requiredOption({ schema: httpUrl, doc: "URL of the OTLP endpoint." }),
  headersEnv: option({
    schema: variable,
    doc: "Environment variable with the headers that are sent along.",
  }),
});

export const telemetry = z.union(
  [z.literal("off"), telemetryMap.transform((options) => dropUndefined(options))],
  { error: wordsOr(["off"], "{endpoint: …}") },
);

export interface ReadNotify {
  readonly notify: readonly Notify[];
  /** URLs by the keys that the task stores instead of them. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Names of variables whose values are masked. */
  readonly secrets: readonly string[];
}

function addressOf(entry: AddressEntry): Address {
  if ("urlEnv" in entry) return entry;
  const key = createHash("sha256").update(entry.url).digest("hex").slice(0, 32);
  return { host: new URL(entry.url).host, kept: key };
}

function toNotify(entry: NotifyEntry): Notify {
  const { webhook, slack, command, secretEnv, headers: sent = {}, on } = entry;
  if (webhook)
    return {
      type: "webhook",
      on,
      address: addressOf(webhook),
      ...(secretEnv && { secretEnv }),
      headers: sent,
    };
  if (slack) return { type: "slack", on, address: addressOf(slack) };
  return command === undefined ? { type: "desktop", on } : { type: "command", on, command };
}

function urlsByKey({ webhook, slack }: NotifyEntry): [string, string][] {
  const entry = webhook ?? slack;
  const stored = entry && addressOf(entry);
  return entry && "url" in entry && stored && "kept" in stored ? [[stored.kept, entry.url]] : [];
}

function secretNames({ webhook, slack, secretEnv, headers: sent = {} }: NotifyEntry): string[] {
  const addresses = [webhook, slack].flatMap((one) => (one && "urlEnv" in one ? one.urlEnv : []));
  const values = Object.values(sent).flatMap((value) => (typeof value === "string" ? [] : value.env));
  return [...addresses, ...(secretEnv ? [secretEnv] : []), ...values];
}

/** Separates what the task stores from the URLs, which only the state folder keeps. */
export function readNotify(entries: readonly NotifyEntry[] = []): ReadNotify {
  return {
    notify: entries.map(toNotify),
    addresses: Object.fromEntries(entries.flatMap(urlsByKey)),
    secrets: entries.flatMap(secretNames),
  };
}
