// Validates git URLs and refs of a task. Rejects URLs that make git start another program, such as `ext::`.
import { listed, show } from "#options/sentence";
import { text } from "#options/values";

const PROTOCOLS = ["https:", "http:", "ssh:", "file:"];
const FORMS = ["https://…", "http://…", "ssh://…", "git@HOST:PATH", "file:///…", "an absolute path"];

/** `USER@HOST:PATH`, without anything that git could parse as an option. */
const SCP_LIKE = /^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?![-:])[^\s]+$/;

const BLANK_OR_CONTROL = /[\s\u0000-\u001f\u007f]/;

/** Also validates URLs of imported records. */
export function isFetchable(url: string): boolean {
  if (BLANK_OR_CONTROL.test(url) || /^[A-Za-z0-9+.-]*::/.test(url)) return false;
  if (url.startsWith("/") || SCP_LIKE.test(url)) return true;
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password } = new URL(url);
  if (password !== "") return false;
  const hasHost = protocol === "file:" ? hostname === "" : /^[^-]/.test(hostname);
  return PROTOCOLS.includes(protocol) && url.includes("://") && hasHost && !username.startsWith("-");
}

const hasPassword = (url: string) => URL.canParse(url) && new URL(url).password !== "";

export const gitUrl = text.superRefine((url, context) => {
  // Never quotes a URL with a password: messages are shown and logged.
  const message = hasPassword(url)
    ? "expected an address without a password; git asks a credential helper for it, or uses an ssh key"
    : `expected ${listed(FORMS)}, got ${show(url)}`;
  if (hasPassword(url) || !isFetchable(url)) context.addIssue({ code: "custom", message });
});

export const gitRef = text.refine(
  (ref) =>
    /^[^\s~^:?*[\\]+$/.test(ref) && !BLANK_OR_CONTROL.test(ref) && !/^[-/.]|\.\.|@\{|\/$|\.lock$/.test(ref),
  { error: ({ input }) => `expected a branch, a tag or a commit, got ${show(input)}` },
);
