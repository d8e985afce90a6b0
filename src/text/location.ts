// Finds the first `path:line` in stack frames and compiler messages; prefers the project's own files.

const LOCATION =
  /^(?:file:\/\/)?(\S+\.(?:[cm]?[jt]sx?|vue|svelte|py|go|rs|java|kts?|rb|php|cs|c|cc|cpp|h|hpp|swift|scala|exs?|dart|lua)):(\d{1,9})(?=[^\w]|$)/;
const FOREIGN =
  /node_modules\/|site-packages\/|\/gems\/|(?:^|\/)vendor\/|^node:|^\/usr\/|^\/rustc\/|\/src\/(?:testing|runtime)\//;
const SEPARATORS = /[\s()'"`,]+/;

export function locate(lines: readonly string[]): string | undefined {
  const locations = lines.flatMap(locationsIn);
  return locations.find((location) => !isAbsolute(location)) ?? locations[0];
}

function locationsIn(line: string): readonly string[] {
  return line.split(SEPARATORS).flatMap((word) => {
    const [, path, row] = LOCATION.exec(word) ?? [];
    return path === undefined || FOREIGN.test(path) ? [] : [`${path}:${row}`];
  });
}

function isAbsolute(location: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/])/.test(location);
}
