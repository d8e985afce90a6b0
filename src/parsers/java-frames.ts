// Frames of Java stack traces: they name a class and a bare file name, from which the path inside the sources follows.

const FRAME = /(?:^|[\s/])([\w$.]+)\.[\w$<>]+\(([\w$]+\.(?:java|kt|groovy|scala)):(\d{1,9})\)/;
const FOREIGN =
  /^(?:java|javax|jdk|sun|kotlin|scala|groovy)\.|^org\.(?:junit|opentest4j|assertj|hamcrest|mockito|apache\.maven|gradle)\./;

export function isJavaFrame(line: string): boolean {
  return FRAME.test(line);
}

/** Where a test of the class broke: in the class itself if it is in the trace, else in the first class of the project. */
export function javaPlace(lines: readonly string[], className: string): string | undefined {
  const outer = className.replace(/\$.*$/, "");
  const frames = lines.flatMap((line) => {
    const [, owner, file, row] = FRAME.exec(line) ?? [];
    if (owner === undefined || FOREIGN.test(owner)) return [];
    const folder = owner.includes(".")
      ? `${owner.slice(0, owner.lastIndexOf(".")).replaceAll(".", "/")}/`
      : "";
    return [{ owner: owner.replace(/\$.*$/, ""), place: `${folder}${file}:${row}` }];
  });
  return (frames.find(({ owner }) => owner === outer) ?? frames[0])?.place;
}

/** The class of the first frame in a method of this name. */
export function javaClassOf(lines: readonly string[], method: string): string | undefined {
  return lines
    .map((line) => /([\w$.]+)\.([\w$<>]+)\(/.exec(line))
    .find((found) => found?.[2] === method)?.[1];
}
