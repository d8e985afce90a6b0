// Takes out of a text what differs from run to run and means nothing, so that two texts can be compared for what they say.
import { plain } from "./plain-text.ts";

const DATE = String.raw`\d{4}[-/.]\d\d[-/.]\d\d|\d{1,2}/\d{1,2}/\d{4}`;
const DAY = `(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?`;
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const WRITTEN = String.raw`${DAY}(?:\d{1,2}[ /-]${MONTH}[ /-]\d{4}|${MONTH} {1,2}\d{1,2}(?:,? \d{4})?)`;
const CLOCK = String.raw`\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AP]M)?(?: ?(?:Z|UTC|GMT)\b)?(?: ?[+-]\d\d:?\d\d)?`;
const UNIT = "(?:ns|µs|μs|us|ms|s|sec|secs|seconds?|milliseconds?|minutes?)";
const SEGMENT = String.raw`[^\s/\\:'"\x60<>()[\]{},;|]+`;
const TEMPORARY = String.raw`(?:/private)?/(?:tmp|var/tmp|dev/shm|var/folders/${SEGMENT}/${SEGMENT}/[A-Z])/|[A-Za-z]:\\(?:[^\s\\:'"<>]+\\){1,6}Temp\\`;

// A text counts as a word of its own only where neither a word nor one of our marks touches it. A mark (`<time>`) is never
// part of a match nor makes one possible beside it: that is why doing it twice changes nothing.
const APART = "(?<![A-Za-z0-9_.>])";
const ENDS = "(?![A-Za-z0-9_<])";

/** What is taken out, and the mark that takes its place. Only what a machine writes: `12`, `5s` and `2024-01-31` stay. */
const VOLATILE: readonly (readonly [mark: string, pattern: string])[] = [
  ["<uuid>", `(?<![A-Za-z0-9>])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}${ENDS}`],
  ["<time>", `${APART}(?:${DATE}|${WRITTEN})(?:[T:]|,? )${CLOCK}${ENDS}`],
  [
    "<time>",
    String.raw`${APART}(?:${DATE})[T ]\d\d:\d\d(?:Z|[+-]\d\d:?\d\d)?(?!:\d)${ENDS}|${APART}\d{8}T\d{6}Z?${ENDS}`,
  ],
  // Not the line and column of a place: a.ts:12:30:45.
  ["<time>", `(?<![A-Za-z0-9_.:>])${CLOCK}(?!:)${ENDS}`],
  // Milliseconds, microseconds or nanoseconds since 1970.
  ["<time>", String.raw`(?<![A-Za-z0-9.>])1\d{12}(?:\d{3}(?:\d{3})?)?${ENDS}`],
  [
    "<address>",
    String.raw`${APART}0x[0-9a-f]{6,16}${ENDS}|(?<=[\w$\]])@(?=[a-f]{0,7}\d)[0-9a-f]{5,8}${ENDS}`,
  ],
  [
    "<temp>",
    String.raw`(?<![\w.~@%+/>-])(?:file://)?(?:${TEMPORARY})(?:pytest-of-${SEGMENT}/)?${SEGMENT}|(?<=/converge/(?:rooms|worktrees|runs)/)${SEGMENT}`,
  ],
  [
    "<duration>",
    String.raw`${APART}(?:\d{1,9} ?m(?:in)? )?\d{1,12}\.\d{1,12} ?${UNIT}${ENDS}|(?<=\()\d{1,12} ?${UNIT}(?=\))|(?<=\btook )\d{1,12} ?${UNIT}${ENDS}`,
  ],
  ["<pid>", String.raw`(?<=\bpid[ =:]{1,2})\d{1,10}${ENDS}`],
  [
    "<port>",
    String.raw`(?<=(?:\b127\.0\.0\.1|\b0\.0\.0\.0|\blocalhost|\[::1?\]):|\bport[ =:]{1,2})\d{5}${ENDS}`,
  ],
  ["<id>", `(?<![A-Za-z0-9>])(?=[0-9]{0,64}[a-f])(?=[a-f]{0,64}[0-9])[0-9a-f]{12,64}${ENDS}`],
];
const ANY = new RegExp(VOLATILE.map(([, pattern]) => `(${pattern})`).join("|"), "gi");

/** Colours whose escape character somebody else has already taken away. */
const COLOUR = /\[\d{1,3}(?:;\d{1,3}){0,4}m(?!\])/g;

/** The same for two texts that differ only in times, addresses, temporary paths and ids. Linear; applying it twice changes nothing. */
export function stable(text: string): string {
  return plain(text)
    .replace(COLOUR, " ")
    .replace(
      ANY,
      (...found) => VOLATILE[found.slice(1).findIndex((group) => group !== undefined)]?.[0] ?? "",
    );
}
