// Fake `gh` that records its calls and answers from files beside it.
import fs from "node:fs";
import path from "node:path";

const GH = `#!/bin/sh
here=$(dirname "$0")
{ printf '%s\\037' "$@"; echo; } >> "$here/calls"
case "$1 $2" in
  "pr view") if [ -f "$here/open" ]; then cat "$here/open"; else echo "no pull requests found" >&2; exit 1; fi ;;
  "pr create")
    if [ -f "$here/refuses" ]; then cat "$here/refuses" >&2; exit 1; fi
    for word; do case "$word" in --head=*) head=\${word#--head=} ;; --body-file=*) cp "\${word#--body-file=}" "$here/body" ;; esac; done
    url=https://host.localhost/pull/1
    echo "{\\"url\\":\\"$url\\",\\"state\\":\\"OPEN\\",\\"headRefName\\":\\"$head\\"}" > "$here/open"
    if [ -f "$here/kills" ]; then rm "$here/kills"; kill -9 $PPID; fi
    echo "$url" ;;
esac
`;

export interface Gh {
  /** PATH with the fake `gh` first. */
  readonly path: string;
  /** Arguments of each call. */
  calls(): string[][];
  /** The body of the last pull request. */
  body(): string;
  /** Makes later `gh pr create` calls fail with this message. */
  refuse(why: string): void;
  /** Kills the calling process once, after the pull request was created. */
  kill(): void;
}

export function fakeGh(root: string): Gh {
  const dir = path.join(root, "gh-bin");
  fs.mkdirSync(dir);
  fs.writeFileSync(path.join(dir, "gh"), GH, { mode: 0o755 });
  const read = (name: string) => {
    const file = path.join(dir, name);
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  };
  const calls = () =>
    read("calls")
      .split("\u001f\n")
      .filter(Boolean)
      .map((call) => call.split("\u001f"));
  return {
    path: `${dir}${path.delimiter}${process.env.PATH}`,
    calls,
    body: () => read("body"),
    refuse: (why) => fs.writeFileSync(path.join(dir, "refuses"), why),
    kill: () => fs.writeFileSync(path.join(dir, "kills"), ""),
  };
}

/** Returns a PATH with all programs except gh. */
export function pathWithoutGh(root: string): string {
  const dir = path.join(root, "no-gh");
  fs.mkdirSync(dir);
  const programs = new Map<string, string>([["gh", ""]]);
  for (const folder of (process.env.PATH ?? "").split(path.delimiter).filter((each) => fs.existsSync(each)))
    for (const name of fs.readdirSync(folder))
      if (!programs.has(name) && fs.existsSync(path.join(folder, name)))
        programs.set(name, path.join(folder, name));
  for (const [name, file] of programs) if (file) fs.symlinkSync(file, path.join(dir, name));
  return dir;
}
