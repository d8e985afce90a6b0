// Sanitizes and bounds untrusted text from agents and gates; never cuts a character in half.

// ANSI/VT sequences: CSI, OSC/DCS/APC/PM/SOS strings (7-bit and C1 forms), then two-character escapes.
const SEQUENCES =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;

// Control characters except \n and \t, C1, line and paragraph separators, annotations, and characters that readers do not
// see but programs do: zero-width, bidirectional overrides, fillers, variation selectors, tag characters.
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu;

/** Removes everything that could control a terminal or deceive a reader: only visible characters, \n and \t stay. */
export function plain(text: string): string {
  return text.toWellFormed().replace(SEQUENCES, "").replace(/\r\n?/g, "\n").replace(INVISIBLE, "");
}

/** The last `limit` characters, with a note of how much was left out. */
export function tail(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(-limit).replace(/^[\udc00-\udfff]/, "");
  return `[… ${text.length - cut.length} characters left out]\n${cut}`;
}

/** The first `limit` characters, with a note of how much was left out. */
export function head(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
  return `${cut} [… ${text.length - cut.length} characters left out]`;
}

/** Collapses all whitespace, so that the text fits on one line. */
export function oneLine(text: string, limit: number): string {
  return head(plain(text).replace(/\s+/g, " ").trim(), limit);
}

/** Puts a bar before every line, so that quoted text cannot pose as anything else. */
export function quoted(text: string): string {
  return plain(text)
    .split("\n")
    .map((line) => `| ${line}`)
    .join("\n");
}
