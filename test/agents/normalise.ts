// Removes from a recording what differs by machine and run, and keeps its shape.

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const OPENCODE_ID = /\b(ses|msg|prt)_[0-9A-Za-z]{20,}\b/g;

/** Numbers ids in order of appearance, so that equal ids stay equal. */
function numbered(): (id: string) => number {
  const seen = new Map<string, number>();
  return (id) => {
    const number = seen.get(id) ?? seen.size + 1;
    seen.set(id, number);
    return number;
  };
}

/** Returns a function for all texts of one recording; `places` maps placeholders to the machine's paths and addresses. */
export function normaliser(places: Readonly<Record<string, string>>): (text: string) => string {
  const number = numbered();
  const longestFirst = Object.entries(places).sort(([, a], [, b]) => b.length - a.length);
  return (text) =>
    longestFirst
      .reduce((so, [placeholder, place]) => so.replaceAll(place, placeholder), text)
      .replace(UUID, (id) => `00000000-0000-4000-8000-${String(number(id)).padStart(12, "0")}`)
      .replace(OPENCODE_ID, (id, kind) => `${kind}_${String(number(id)).padStart(26, "0")}`)
      .replace(/\d{4}-\d\d-\d\dT\d\d([:-])\d\d[:-]\d\d([.-])\d{3,6}Z/g, "2026-01-01T00$100$100$2000Z")
      .replace(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, "Thu, 01 Jan 2026 00:00:00 GMT")
      .replace(/(?<!\d)1[789]\d{11}(?!\d)/g, "1767225600000")
      .replace(/"(\w*_ms)":\d+(\.\d+)?/g, '"$1":100');
}
