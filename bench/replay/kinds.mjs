// The kinds of bad iterations that count as cheating: they change tests instead of the source.
export const CHEATS = new Set(["skip", "delete", "take-back"]);
