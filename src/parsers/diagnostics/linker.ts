// Parses linkers of C and C++: undefined or duplicate symbols, and missing libraries.
import { type DiagnosticReader, withoutContext } from "./diagnostic.ts";

// With debug information, a line number replaces the section. Only lines with a section need no English words.
const SECTION = /^(?:\S*ld(?:\.\w+)?: )?((?:[A-Za-z]:)?[^:\s][^:]{0,400}):\(\.[\w.]+\+0x[0-9a-f]+\): (\S.*)$/;
const SYMBOL =
  /^(?:\S*ld(?:\.\w+)?: )?([^:\s][^:]{0,400}\.\w{1,8}):(\d{1,9}): ((?:undefined reference to|multiple definition of) .+)$/;
const LIBRARY =
  /^\S*ld(?:\.\w+)?: ((?:error: )?(?:cannot find|unable to find library|library not found for) .+)$/;
const LLD = /^\S*ld(?:\.lld)?: error: (undefined symbol: .+|duplicate symbol: .+)$/;
const REFERENCED = /^>>> (?:referenced|defined) (?:by|at) ([^:\s][^:]{0,400}?)(?::(\d{1,9}))?(?:\s|$)/;

const linked = { tool: "linker", severity: "error" } as const;

export const linker: DiagnosticReader = (lines, at) => {
  const text = lines[at] ?? "";
  const [, section, detail] = SECTION.exec(text) ?? [];
  if (section !== undefined && detail !== undefined)
    return withoutContext({ ...linked, file: section, message: detail }, at);
  const [, file, line, message] = SYMBOL.exec(text) ?? [];
  if (file !== undefined && message !== undefined)
    return withoutContext({ ...linked, file, line: Number(line), message }, at);
  const [, symbol] = LLD.exec(text) ?? [];
  if (symbol !== undefined) {
    const [, by = "linker", row] = REFERENCED.exec(lines[at + 1] ?? "") ?? [];
    return withoutContext({ ...linked, file: by, ...(row && { line: Number(row) }), message: symbol }, at);
  }
  const [, missing] = LIBRARY.exec(text) ?? [];
  return missing === undefined
    ? undefined
    : withoutContext({ ...linked, file: "linker", message: missing }, at);
};
