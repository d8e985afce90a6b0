// Who is told of a run, as people write it. URLs are as good as passwords: no message quotes one, and no task keeps one.
import { createHash } from "node:crypto";
import * as z from "zod";
import { type Address, NOTABLE, type Notable, type Notify } from "#spec/notify";
import { looksSecret } from "#system/secrets/secrets";
import { listed } from "./sentence.ts";
import { text } from "./values.ts";

const USUAL: readonly Notable[] = ["converged", "diverged", "waiting", "blocked", "escalated", "error"];
const WAYS = ["webhook", "slack", "command", "desktop"] as const;
/** Ours, or the connection's. */
const RESERVED = /^(converge-.*|content-.*|host|connection|transfer-encoding)$/i;

/** Why it is no address to send to; undefined for a good one. */
function urlProblem(written: string): string | undefined {
  if (!URL.canParse(written)) return "expected a whole URL, like https://example.com/hook";
  const { protocol, username, password } = new URL(written);
  if (protocol !== "https:" && protocol !== "http:") return `expected https: or http:, got ${protocol}`;
  return username || password ? "expected a URL without a name and a password in it" : undefined;
}

export const httpUrl = text.superRefine((written, context) => {
  const message = urlProblem(written);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

export const variable = z.string().regex(/^[A-Za-z_]\w*$/, { error: "expected the name of a variable" });

const address = z.union([httpUrl.transform((url) => ({ url })), z.strictObject({ urlEnv: variable })], {
  error: ({ input }) =>
    typeof input === "string" ? (urlProblem(input) ?? "") : "expected a URL or {urlEnv: NAME}",
});

type WrittenAddress = z.output<typeof address>;

const header = z.union([text, z.strictObject({ env: variable })], {
  error: "expected a text or {env: NAME}",
});

const headers = z.record(z.string(), header).superRefine((written, context) => {
  const complain = (name: string, message: string) =>
    context.addIssue({ code: "custom", path: [name], message });
  for (const [name, value] of Object.entries(written)) {
    const literal = typeof value === "string" ? value : "";
    if (RESERVED.test(name)) complain(name, "is set by Converge itself");
    else if (!isHeader(name, literal)) complain(name, "expected the name and the value of an HTTP header");
    else if (literal && (/^(proxy-)?authorization$|^cookie$/i.test(name) || looksSecret(name, literal)))
      complain(name, "looks secret and would be kept with the run; set it in the environment: {env: NAME}");
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

/** Options that one way alone understands. */
const ONLY_WEBHOOK = ["secretEnv", "headers"] as const;

export const notification = z
  .strictObject({
    webhook: address.optional(),
    slack: address.optional(),
    command: text.optional(),
    desktop: z.literal(true).optional(),
    on: z.array(z.enum(NOTABLE)).min(1).optional(),
    secretEnv: variable.optional(),
    headers: headers.optional(),
  })
  .superRefine((written, context) => {
    const ways = WAYS.filter((way) => written[way] !== undefined);
    if (ways.length !== 1)
      context.addIssue({
        code: "custom",
        message: `expected one of ${listed(WAYS)}, got ${ways.length === 0 ? "none" : ways.join(" and ")}`,
      });
    for (const option of ONLY_WEBHOOK)
      if (written[option] !== undefined && written.webhook === undefined)
        context.addIssue({ code: "custom", path: [option], message: "has no effect without webhook" });
  });

type Written = z.output<typeof notification>;

export interface ReadNotify {
  readonly notify: readonly Notify[];
  /** The URLs, by the names that the task has for them. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Variables whose values nobody is to see. */
  readonly secrets: readonly string[];
}

function addressOf(written: WrittenAddress): Address {
  if ("urlEnv" in written) return written;
  const kept = createHash("sha256").update(written.url).digest("hex").slice(0, 32);
  return { host: new URL(written.url).host, kept };
}

function notifyOf(written: Written): Notify {
  const { webhook, slack, command, secretEnv, headers: sent = {} } = written;
  const on = written.on ?? USUAL;
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

function urlsOf({ webhook, slack }: Written): [string, string][] {
  const written = webhook ?? slack;
  const found = written && addressOf(written);
  return written && "url" in written && found && "kept" in found ? [[found.kept, written.url]] : [];
}

function secretsOf({ webhook, slack, secretEnv, headers: sent = {} }: Written): string[] {
  const addresses = [webhook, slack].flatMap((one) => (one && "urlEnv" in one ? one.urlEnv : []));
  const values = Object.values(sent).flatMap((value) => (typeof value === "string" ? [] : value.env));
  return [...addresses, ...(secretEnv ? [secretEnv] : []), ...values];
}

export function readNotify(written: readonly Written[] = []): ReadNotify {
  return {
    notify: written.map(notifyOf),
    addresses: Object.fromEntries(written.flatMap(urlsOf)),
    secrets: written.flatMap(secretsOf),
  };
}
