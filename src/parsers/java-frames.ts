// Parses frames of Java stack traces and derives the source path from class and file name.

const FRAME = /(?:^|[\s/])([\w$.]+)\.[\w$<>]+\(([\w$]+\.(?:java|kt|groovy|scala)):(\d{1,9})\)/;
const FOREIGN =
  /^(?:java|javax|jdk|sun|kotlin|scala|groovy)\.|^org\.(?:junit|opentest4j|assertj|hamcrest|mockito|apache\.maven|gradle)\./;

export function isJavaFrame(line: string): boolean {
  return FRAME.test(line);
}

/** Location of a test's failure: the first frame of its class, else the first frame of the project. */
export function javaLocation(lines: readonly string[], className: string): string | undefined {
  const outer = className.replace(/\$.*$/, "");
  const frames = lines.flatMap((line) => {
    const [, owner, file, row] = FRAME.exec(line) ?? [];
    if (owner === undefined || FOREIGN.test(owner)) return [];
    const folder = owner.includes(".")
      ? `${owner.slice(0, owner.lastIndexOf(".")).replaceAll(".", "/")}/`
      : "";
    return [{ owner: owner.replace(/\$.*$/, ""), location: `${folder}${file}:${row}` }];
  });
  return (frames.find(({ owner }) => owner === outer) ?? frames[0])?.location;
}

/** The class of the first frame in a method of this name. */
export function javaClassOf(lines: readonly string[], method: string): string | undefined {
  return lines
    .map((line) => /([\w$.]+)\.([\w$<>]+)\(/.exec(line))
    .find((match) => match?.[2] === method)?.[1];
}
