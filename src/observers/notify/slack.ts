// A notice as Slack, and those who understand the same, want it. Nobody is called and nothing is linked by an agent's words.
import type { Notice } from "#spec/notify";
import { figures, headline } from "./notice.ts";

/** `&`, `<` and `>` are Slack's own; the rest would call people or become a link in others that take the same messages. */
function inert(text: string): string {
  return text
    .replaceAll("@", "＠")
    .replaceAll("://", "[:]//")
    .replaceAll("](", "] (")
    .replace(/\bwww\./gi, "www[.]")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

export function slackBody(notice: Notice): unknown {
  const { title, gate, reason, workspace } = notice;
  const why = gate === undefined ? reason : `${gate}: ${reason}`;
  return {
    text: [headline(notice), title, why, `${figures(notice)}, in ${workspace}`].map(inert).join("\n"),
    mrkdwn: false,
    parse: "none",
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  };
}
