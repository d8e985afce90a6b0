// Display width of text in terminal columns. Where terminals disagree, assume the wider: a short line is harmless,
// but a line that wraps breaks the panel.

const ASCII = /^[\x20-\x7e]*$/;
const NOTHING = /[\p{Mn}\p{Me}\u1160-\u11ff]/u;
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f2ff}\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function columnsOf(character: string): number {
  if (NOTHING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Expects text without control characters. */
export function width(text: string): number {
  if (ASCII.test(text)) return text.length;
  let sum = 0;
  for (const character of text) sum += columnsOf(character);
  return sum;
}

/** The longest prefix of at most `columns` columns; never separates a character from its accents. */
export function beginning(text: string, columns: number): string {
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += columnsOf(character);
    if (used > columns) break;
    end += character.length;
  }
  return text.slice(0, end);
}
