// Normalises text for comparison: replaces times, addresses, temporary paths and ids, which differ from run to run.
import { plain } from "./plain-text.ts";

const DATE = String.raw`\d{4}[-/.]\d\d[-/.]\d\d|\d{1,2}/\d{1,2}/\d{4}`;
const DAY = `(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?`;
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const WRITTEN_DATE = String.raw`${DAY}(?:\d{1,2}[ /-]${MONTH}[ /-]\d{4}|${MONTH} {1,2}\d{1,2}(?:,? \d{4})?)`;
const CLOCK = String.raw`\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AP]M)?(?: ?(?:Z|UTC|GMT)\b)?(?: ?[+-]\d\d:?\d\d)?`;
const UNIT = "(?:ns|µs|μs|us|ms|s|sec|secs|seconds?|milliseconds?|minutes?)";
const SEGMENT = String.raw`[^\s/\\:'"\x60<>()[\]{},;|]+`;
const TEMPORARY = String.raw`(?:/private)?/(?:tmp|var/tmp|dev/shm|var/folders/${SEGMENT}/${SEGMENT}/[A-Z])/|[A-Za-z]:\\(?:[^\s\\:'"<>]+\\){1,6}Temp\\`;

// A pattern matches only where neither a word nor one of our marks touches it. A mark (`<time>`) is never part of a match
// and never enables one beside it, so the function is idempotent.
const START = "(?<![A-Za-z0-9_.>])";
const END = "(?![A-Za-z0-9_<])";

/** Marks and the patterns they replace. Only machine-written forms: `12`, `5s` and `2024-01-31` stay. */
const VOLATILE: readonly (readonly [mark: string, pattern: string])[] = [
  ["<uuid>", `(?<![A-Za-z0-9>])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}${END}`],
  ["<time>", `${START}(?:${DATE}|${WRITTEN_DATE})(?:[T:]|,? )${CLOCK}${END}`],
  [
    "<time>",
    String.raw`${START}(?:${DATE})[T ]\d\d:\d\d(?:Z|[+-]\d\d:?\d\d)?(?!:\d)${END}|${START}\d{8}T\d{6}Z?${END}`,
  ],
  // Not a line and column: a.ts:12:30:45.
  ["<time>", `(?<![A-Za-z0-9_.:>])${CLOCK}(?!:)${END}`],
  // Milliseconds, microseconds or nanoseconds since the epoch.
  ["<time>", String.raw`(?<![A-Za-z0-9.>])1\d{12}(?:\d{3}(?:\d{3})?)?${END}`],
  ["<address>", String.raw`${START}0x[0-9a-f]{6,16}${END}|(?<=[\w$\]])@(?=[a-f]{0,7}\d)[0-9a-f]{5,8}${END}`],
  [
    "<temp>",
    String.raw`(?<![\w.~@%+/>-])(?:file://)?(?:${TEMPORARY})(?:pytest-of-${SEGMENT}/)?${SEGMENT}|(?<=/converge/(?:rooms|worktrees|runs)/)${SEGMENT}`,
  ],
  [
    "<duration>",
    String.raw`${START}(?:\d{1,9} ?m(?:in)? )?\d{1,12}\.\d{1,12} ?${UNIT}${END}|(?<=\()\d{1,12} ?${UNIT}(?=\))|(?<=\btook )\d{1,12} ?${UNIT}${END}`,
  ],
  ["<pid>", String.raw`(?<=\bpid[ =:]{1,2})\d{1,10}${END}`],
  [
    "<port>",
    String.raw`(?<=(?:\b127\.0\.0\.1|\b0\.0\.0\.0|\blocalhost|\[::1?\]):|\bport[ =:]{1,2})\d{5}${END}`,
  ],
  ["<id>", `(?<![A-Za-z0-9>])(?=[0-9]{0,64}[a-f])(?=[a-f]{0,64}[0-9])[0-9a-f]{12,64}${END}`],
];
const ANY = new RegExp(VOLATILE.map(([, pattern]) => `(${pattern})`).join("|"), "gi");

/** ANSI colour codes whose escape character was already stripped. */
const COLOUR = /\[\d{1,3}(?:;\d{1,3}){0,4}m(?!\])/g;

/** Equal for two texts that differ only in times, addresses, temporary paths and ids. Linear time and idempotent. */
export function normalise(text: string): string {
  return plain(text)
    .replace(COLOUR, " ")
    .replace(
      ANY,
      (...found) => VOLATILE[found.slice(1).findIndex((group) => group !== undefined)]?.[0] ?? "",
    );
}
