// Patterns of forgotten debug code, by language.

export interface DebugPattern {
  readonly files: readonly string[];
  readonly pattern: string;
}

export const DEBUG_PATTERNS: readonly DebugPattern[] = [
  {
    files: ["**/*.{js,mjs,cjs,jsx,ts,mts,cts,tsx,vue,svelte}"],
    pattern: "\\bconsole\\.(?:log|debug|trace)\\(|^\\s*debugger\\b|\\b(?:it|test|describe)\\.only\\(",
  },
  { files: ["**/*.py"], pattern: "\\bbreakpoint\\(\\)|\\bi?pdb\\.set_trace\\(|^\\s*import i?pdb\\b" },
  { files: ["**/*.rb"], pattern: "\\bbinding\\.(?:pry|irb|break)\\b|^\\s*byebug\\b" },
  { files: ["**/*.go"], pattern: "\\bspew\\.Dump\\(|\\bruntime\\.Breakpoint\\(" },
  { files: ["**/*.rs"], pattern: "\\bdbg!\\(" },
  { files: ["**/*.php"], pattern: "\\b(?:var_dump|print_r|dd|xdebug_break)\\(" },
  { files: ["**/*.{java,kt,scala}"], pattern: "\\.printStackTrace\\(\\)|\\bSystem\\.(?:out|err)\\.print" },
  { files: ["**/*.cs"], pattern: "\\bDebugger\\.(?:Break|Launch)\\(|\\bDebug\\.WriteLine\\(" },
  { files: ["**/*.{ex,exs}"], pattern: "\\bIEx\\.pry\\b|\\bdbg\\(" },
];
