// Lists the files that a diff adds, from git's file headers. File contents cannot fake a header, because every content
// line starts with a sign.

export function addedFiles(diff: string): readonly string[] {
  const added: string[] = [];
  let inHead = false;
  let isNew = false;
  for (const line of diff.split("\n")) {
    if (line.startsWith("diff --git ")) [inHead, isNew] = [true, false];
    else if (line.startsWith("@@")) inHead = false;
    else if (inHead && line === "--- /dev/null") isNew = true;
    else if (inHead && isNew && line.startsWith("+++ ")) added.push(pathOf(line.slice(4)));
  }
  return added;
}

/** Parses `b/a file` followed by a tab, or `"b/\303\251.ts"`. */
function pathOf(written: string): string {
  const name = written.replace(/\t$/, "");
  return (name.startsWith('"') ? unquoted(name.slice(1, -1)) : name).replace(/^b\//, "");
}

const LETTERS: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
};

/** Decodes git's quoting: bytes beyond ASCII are octal numbers. */
function unquoted(text: string): string {
  const bytes = text.replace(/\\([0-7]{3}|.)/gs, (_, code: string) =>
    /^[0-7]{3}$/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (LETTERS[code] ?? code),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
