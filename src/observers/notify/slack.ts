// Formats a notice for Slack and compatible webhooks. An agent's text can neither mention people nor create links.
import type { Notice } from "#spec/notify";
import { figures, headline } from "./notice.ts";

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

export function slackBody(notice: Notice): unknown {
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
