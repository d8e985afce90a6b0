// Parses a number from the command line. Returns other text unchanged, so that the schema rejects it with a message.

export function number(text: string | undefined): number | string | undefined {
  if (text === undefined) return undefined;
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
