// Shows a notice as a desktop notification. Texts are passed as arguments, never as part of a script.
import type { Notice } from "#spec/notify";
import { callProgram } from "#system/call-program";
import type { Posted } from "#system/http-post";
import { which } from "#system/which";
import { oneLine } from "#text/plain-text";
import { headline } from "./notice.ts";

const BODY_CHARS = 300;
const TIMEOUT_MS = 10_000;
const SCRIPT = [
  "on run argv",
  "display notification (item 2 of argv) with title (item 1 of argv)",
  "end run",
];

/** Desktops parse markup in the body. */
const escapeMarkup = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function commandFor(title: string, body: string): string[] | undefined {
  const searchPath = process.env.PATH ?? "";
  const notifySend = which("notify-send", searchPath);
  if (notifySend) return [notifySend, "--app-name=Converge", "--", title, escapeMarkup(body)];
  const osascript = which("osascript", searchPath);
  if (!osascript) return undefined;
  return [osascript, ...SCRIPT.flatMap((line) => ["-e", line]), title, body];
}

export async function showOnDesktop(notice: Notice): Promise<Posted> {
  const { title, reason } = notice;
  const command = commandFor(headline(notice), oneLine(`${title}: ${reason}`, BODY_CHARS));
  if (!command)
    return {
      ok: false,
      why: "neither notify-send nor osascript is installed. Install libnotify",
      again: "never",
    };
  const { exitCode, failed } = await callProgram({ command, input: "", timeoutMs: TIMEOUT_MS });
  if (exitCode === 0) return { ok: true, status: 0 };
  return { ok: false, why: failed ?? `${command[0]} exited with ${exitCode}`, again: "never" };
}
