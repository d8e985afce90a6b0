// Makes a job's log readable: removes timestamps and cuts it after the last error.

const STAMP = /^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?/;
const MARKS = /^##\[(?:group|endgroup|command|debug|section)\]/;

/** Drops everything after the last error: clean-up steps run later and say nothing about it. */
export function readable(log: string): string {
  const lines = log.split(/\r?\n/).map((line) => line.replace(STAMP, ""));
  const last = lines.findLastIndex((line) => line.startsWith("##[error]"));
  return lines
    .slice(0, last < 0 ? lines.length : last + 1)
    .map((line) => line.replace(MARKS, "").replace(/^##\[(error|warning|notice)\]/, "$1: "))
    .join("\n")
    .trim();
}
