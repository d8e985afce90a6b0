// A number as typed on the command line; what is not one stays as it was typed, for the schema to complain about.

export function number(text: string | undefined): number | string | undefined {
  if (text === undefined) return undefined;
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
