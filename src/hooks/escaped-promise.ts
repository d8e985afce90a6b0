// Unescapes promise tags: some programs XML-escape our prompt, and the model may repeat the escaped tag.

/** Unescapes only the promise tags of a message. */
export function withPromiseTags(message: string): string {
  return message.replace(/&lt;(\/?promise)&gt;/gi, "<$1>");
}
