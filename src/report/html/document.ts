// Frame of a self-contained page: no scripts, no external resources; styles for light, dark, phone and print.
import { raw } from "hono/html";
import { type Child, html } from "./html.ts";

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5a6475; --faint: #d5dbe4; --wash: #f4f6f9; --paper: #fff; --line: #2f6fde;
  --good: #14733b; --good-wash: #e2f4e8; --bad: #b3261e; --bad-wash: #fce8e6; --warn: #8a5300; --warn-wash: #fdf0d9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #a2acbd; --faint: #333b49; --wash: #1a202a; --paper: #12161e; --line: #79a8ff;
  --good: #6fd695; --good-wash: #15301f; --bad: #ff9a90; --bad-wash: #3c1b19; --warn: #f2bd67; --warn-wash: #35270f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem 4rem; font: 15px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: break-word; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; } h2 { font-size: 1.15rem; margin: 2.25rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid var(--faint); }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; } p { margin: .5rem 0; } .soft { color: var(--soft); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--faint); }
th { font-weight: 600; color: var(--soft); font-size: .85rem; white-space: nowrap; } .number { text-align: right; white-space: nowrap; }
code, pre { font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; } code { overflow-wrap: anywhere; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--soft); font: 12px system-ui, sans-serif; } .grid { stroke: var(--faint); }
@media (max-width: 40rem) { body { padding: 1rem .75rem 3rem; } .picture { overflow-x: auto; } .picture svg { min-width: 34rem; } }
@media print { body { max-width: none; padding: 0; font-size: 11px; } h2, h3, summary { break-after: avoid; } tr, svg { break-inside: avoid; } .wide, .picture { overflow: visible; } }
`;

export interface Document {
  readonly title: string;
  /** Styles in addition to the common ones. */
  readonly style: string;
  readonly body: Child;
}

export function documentOf({ title, style, body }: Document): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${raw(STYLE + style)}</style>
</head>
<body>
${body}
</body>
</html>
`;
  return String(page);
}
