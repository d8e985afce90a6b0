// Addresses of git repositories in a task: only those that git fetches from without starting a program of somebody's choice.
import { listed, show } from "./sentence.ts";
import { text } from "./values.ts";

const PROTOCOLS = ["https:", "http:", "ssh:", "file:"];
const FORMS = ["https://…", "http://…", "ssh://…", "git@HOST:PATH", "file:///…", "an absolute path"];

/** `USER@HOST:PATH`; nothing in it could be taken for an option. */
const SCP_LIKE = /^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?![-:])[^\s]+$/;

const ODD = /[\s\u0000-\u001f\u007f]/;

/** Also asked of a record, which may come from elsewhere. */
export function isFetchable(given: string): boolean {
  if (ODD.test(given) || /^[A-Za-z0-9+.-]*::/.test(given)) return false;
  if (given.startsWith("/") || SCP_LIKE.test(given)) return true;
  if (!URL.canParse(given)) return false;
  const { protocol, hostname, username, password } = new URL(given);
  if (password !== "") return false;
  const hasPlace = protocol === "file:" ? hostname === "" : /^[^-]/.test(hostname);
  return PROTOCOLS.includes(protocol) && given.includes("://") && hasPlace && !username.startsWith("-");
}

const hasPassword = (given: string) => URL.canParse(given) && new URL(given).password !== "";

export const gitUrl = text.superRefine((given, context) => {
  // Not quoted: it would be shown and logged.
  const message = hasPassword(given)
    ? "expected an address without a password; git asks a credential helper for it, or uses an ssh key"
    : `expected ${listed(FORMS)}, got ${show(given)}`;
  if (hasPassword(given) || !isFetchable(given)) context.addIssue({ code: "custom", message });
});

export const gitRef = text.refine(
  (ref) => /^[^\s~^:?*[\\]+$/.test(ref) && !ODD.test(ref) && !/^[-/.]|\.\.|@\{|\/$|\.lock$/.test(ref),
  { error: ({ input }) => `expected a branch, a tag or a commit, got ${show(input)}` },
);
