// Styles of a report, in addition to those of every page.

/** Eight distinguishable lines: by colour, and by dashes for readers who cannot see colours. */
const GATES = [
  ["#c2571a", "#f0a06a", "none"],
  ["#7a4fbf", "#b79af0", "6 3"],
  ["#0f7f7a", "#5fd0c8", "2 3"],
  ["#a8326f", "#f08abf", "8 3 2 3"],
  ["#6b7a12", "#c5d356", "10 4"],
  ["#3c5a99", "#9db8ee", "4 4"],
  ["#8a4b2d", "#d9a184", "1 4"],
  ["#4f5b66", "#b4c0cc", "12 3 2 3 2 3"],
] as const;

const colours = (which: 0 | 1): string =>
  `:root { ${GATES.map((gate, at) => `--g${at}: ${gate[which]};`).join(" ")} }`;

const lines = GATES.map(
  ([, , dash], at) =>
    `.g${at} { fill: none; stroke: var(--g${at}); stroke-width: 1.5; stroke-dasharray: ${dash}; }`,
).join("\n");

export const STYLE = `
${colours(0)}
@media (prefers-color-scheme: dark) { ${colours(1)} }
${lines}
.overall { fill: none; stroke: var(--line); stroke-width: 3; stroke-linejoin: round; } .dot { fill: var(--line); } .best { fill: none; stroke: var(--good); stroke-width: 2.5; }
svg .decision { font-size: 15px; font-weight: 700; paint-order: stroke; stroke: var(--paper); stroke-width: 4px; } h4 { margin: .8rem 0 .2rem; font-size: .95rem; } .reason { min-width: 16rem; } svg .stop { fill: var(--ink); } svg .accept { fill: var(--good); } svg .rollback, svg .wait { fill: var(--warn); }
header .verdict { border-left: 5px solid; padding: .7rem 1rem; border-radius: 0 8px 8px 0; margin: 1rem 0; } .verdict strong { font-size: 1.2rem; } .verdict p { margin: .2rem 0 0; color: var(--ink); }
.verdict.good { color: var(--good); background: var(--good-wash); } .verdict.bad { color: var(--bad); background: var(--bad-wash); } .verdict.warn { color: var(--warn); background: var(--warn-wash); }
header .caution { margin: .6rem 0; padding: .5rem 1rem; border-radius: 8px; color: var(--warn); background: var(--warn-wash); }
.tiles, .meters, .legend, .timeline, .failures { list-style: none; margin: 0; padding: 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .6rem; } .tiles li { background: var(--wash); border-radius: 8px; padding: .6rem .8rem; overflow-wrap: anywhere; }
.tiles span { display: block; font-size: .8rem; } .tiles strong { font-size: 1.2rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: 1.25rem; font-size: .9rem; } a { color: var(--line); } section { scroll-margin-top: 1rem; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; font-size: .85rem; margin: .5rem 0; } .legend li { display: flex; align-items: center; gap: .4rem; } .legend svg { width: 24px; height: 8px; min-width: 24px; }
.ring { width: .8rem; height: .8rem; border: 2.5px solid var(--good); border-radius: 50%; }
.matrix { width: auto; min-width: 50%; } .matrix td, .matrix th { text-align: center; white-space: nowrap; border: 2px solid var(--paper); border-radius: 6px; padding: .3rem .6rem; font-size: .88rem; } .matrix th[scope=row] { text-align: right; position: sticky; left: 0; background: var(--paper); max-width: 14rem; overflow: hidden; text-overflow: ellipsis; }
.matrix a { color: inherit; } .matrix .passed { background: var(--good-wash); color: var(--good); } .matrix .failed { background: var(--bad-wash); color: var(--bad); } .matrix .errored, .matrix .waiting { background: var(--warn-wash); color: var(--warn); } .matrix .skipped, .matrix .none { background: var(--wash); color: var(--soft); } .matrix .sum td { font-weight: 600; }
details { margin: .4rem 0; } summary { cursor: pointer; } td details { font-size: .88rem; margin: .25rem 0 0; } td summary { color: var(--soft); }
section > details { border: 1px solid var(--faint); border-radius: 8px; padding: .45rem .8rem; } .failures li { margin: .7rem 0; }
pre { background: var(--wash); border-radius: 6px; padding: .6rem .8rem; margin: .4rem 0; white-space: pre-wrap; overflow-wrap: anywhere; } pre.diff { white-space: pre; overflow-x: auto; overflow-wrap: normal; }
.diff span { display: inline-block; min-width: 100%; } .add { background: var(--good-wash); } .del { background: var(--bad-wash); } .hunk { color: var(--soft); } .plus { color: var(--good); } .minus { color: var(--bad); }
.tag { font-size: .75rem; border-radius: 4px; padding: .05rem .35rem; background: var(--warn-wash); color: var(--warn); } .tag.bad { background: var(--bad-wash); color: var(--bad); } .note { background: var(--warn-wash); color: var(--warn); border-radius: 6px; padding: .4rem .8rem; }
.bar { display: inline-block; width: 4.5rem; height: .5rem; border-radius: 4px; background: var(--faint); overflow: hidden; vertical-align: middle; } .bar i { display: block; height: 100%; background: var(--line); }
.meters { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .8rem; margin-bottom: 1rem; } .meters li > .soft:first-child { display: block; font-size: .8rem; } .meters .bar { display: block; width: 100%; margin-top: .3rem; }
.timeline li { display: grid; grid-template-columns: 4.5rem 1fr 15rem; gap: .75rem; align-items: center; padding: .2rem 0; font-size: .88rem; } .timeline li > :first-child { text-align: right; font-variant-numeric: tabular-nums; } .spans { display: flex; height: .9rem; border-radius: 4px; overflow: hidden; background: var(--wash); } .spans i { display: block; min-width: 1px; } .kinds i { width: .9rem; height: .9rem; border-radius: 3px; }
i.agent { background: var(--line); } i.gate { background: var(--g0); } i.memory { background: var(--g2); } i.other { background: var(--soft); } i.idle { background: repeating-linear-gradient(45deg, var(--faint) 0 3px, var(--wash) 3px 6px); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.25rem; margin: 0 0 1rem; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) { .timeline li { grid-template-columns: 4.5rem 1fr; } .timeline li > :last-child { grid-column: 2; } dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; } }
@media print { nav { display: none; } details::details-content { content-visibility: visible; display: block; } .verdict, .matrix td, .tiles li, .spans, .bar, .add, .del, i { print-color-adjust: exact; -webkit-print-color-adjust: exact; } section > details, .tiles li { break-inside: avoid; } pre.diff { white-space: pre-wrap; } }
`;
