// Unquotes paths as git quotes them: octal UTF-8 bytes and C escapes ("a\303\244\t").
const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  "\\": 92,
};

export function unquoted(path: string): string {
  if (path.length < 2 || !path.startsWith('"') || !path.endsWith('"')) return path;
  const bytes: number[] = [];
  const parts = path.slice(1, -1).match(/\\[0-7]{1,3}|\\.|[^\\]+/gsu) ?? [];
  for (const part of parts) {
    if (!part.startsWith("\\")) bytes.push(...new TextEncoder().encode(part));
    else if (/^\\[0-7]/.test(part)) bytes.push(Number.parseInt(part.slice(1), 8) & 255);
    else bytes.push(ESCAPES[part.slice(1)] ?? part.charCodeAt(1));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
