// Some programs escape our words as XML before the model reads them, and a model may answer with the tag as it read it.

/** The message with the two tags of a promise as they were meant; everything else that is escaped stays so. */
export function withPromiseTags(message: string): string {
  return message.replace(/&lt;(\/?promise)&gt;/gi, "<$1>");
}
