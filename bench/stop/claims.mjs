// What is claimed of the default strategy and of adaptive at its default value, and whether it holds on what was measured.
const KEPT = 0.985;
const DEFAULT = "hybrid (the default)";
/** Sources on which adaptive must be clearly better than simple rules, by how their names begin; on others it must not be worse. */
const CLEARLY = ["intercode", "ldb"];
/** A source with fewer runs teaches too little to save anything: there adaptive is claimed to keep runs, not to save. */
const RUNS_TO_LEARN = 1_000;

const points = (share) => (100 * share).toFixed(1);

/** The rule that keeps as much as adaptive and saves most. */
function bestRule(here, kept) {
  const isRule = ({ strategy }) => strategy !== DEFAULT && !strategy.startsWith("adaptive");
  const rules = here.filter((score) => isRule(score) && score.kept >= kept - 1e-9);
  return rules.toSorted((one, other) => other.saved - one.saved)[0];
}

/** What adaptive saves beside the best rule that keeps as much. */
function saving(here, own, source) {
  const rule = bestRule(here, own.kept);
  const clearly = CLEARLY.some((name) => source.startsWith(name));
  const ahead = rule ? own.saved - rule.saved : 1;
  const wanted = clearly ? "at least 5 points more than" : "at most 1 point less than";
  return {
    holds: rule === undefined || ahead >= (clearly ? 0.05 : -0.01) - 1e-9,
    text: rule
      ? `${source}: adaptive saves ${wanted} any rule that keeps as much (${points(own.saved)} % with ${points(own.kept)} % kept; ${rule.strategy}: ${points(rule.saved)} % with ${points(rule.kept)} % kept)`
      : `${source}: adaptive saves ${points(own.saved)} % with ${points(own.kept)} % kept; no rule keeps as much`,
  };
}

function ofSource(measured, source) {
  const here = measured.filter((score) => score.source === source);
  const own = here.find((score) => score.strategy === "adaptive (default)");
  const standard = here.find((score) => score.strategy === DEFAULT);
  return [
    {
      holds: standard.keptAtWorst >= KEPT,
      text: `${source}: the default keeps at least ${points(KEPT)} % in every order (worst ${points(standard.keptAtWorst)} %) and saves ${points(standard.saved)} %`,
    },
    {
      holds: own.keptAtWorst >= KEPT,
      text: `${source}: adaptive keeps at least ${points(KEPT)} % in every order (worst ${points(own.keptAtWorst)} %)`,
    },
    ...(own.runs >= RUNS_TO_LEARN ? [saving(here, own, source)] : []),
  ];
}

/** Beside the claims: the same against rules that keep enough, if less than adaptive does, on every source. */
export function besides(measured) {
  return [...new Set(measured.map(({ source }) => source))].sort().flatMap((source) => {
    const here = measured.filter((score) => score.source === source);
    const own = here.find((score) => score.strategy === "adaptive (default)");
    const rule = bestRule(here, KEPT);
    if (!rule) return [];
    const words = `${rule.strategy} saves most of the rules that keep ${points(KEPT)} %`;
    return [
      `${source}: ${words}: ${points(rule.saved)} % with ${points(rule.kept)} % kept, against ${points(own.saved)} % with ${points(own.kept)} %`,
    ];
  });
}

export function claims({ measured, times, speed }) {
  const sources = [...new Set(measured.map(({ source }) => source))].sort();
  return [
    ...sources.flatMap((source) => ofSource(measured, source)),
    {
      holds: times.most < 100,
      text: `a decision takes less than 100 µs (99 of 100: ${times.most.toFixed(1)} µs)`,
    },
    { holds: speed >= 150, text: `likeness reads at least 150 MB/s (${speed.toFixed(0)} MB/s)` },
  ];
}
