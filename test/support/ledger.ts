// Append-only log outside every workspace in which agents record their begin and end, in order across all processes.
import fs from "node:fs";
import path from "node:path";
import { isAlive } from "./processes.ts";

/** One log entry. `among` lists the agents alive when it began, itself included. */
export interface Signature {
  readonly what: "begin" | "end";
  readonly run: string;
  readonly iteration: number;
  readonly worker: string;
  readonly pid: number;
  readonly kind: string;
  readonly among: readonly { readonly run: string; readonly worker: string; readonly kind: string }[];
}

export interface Ledger {
  /** Command of an agent that runs for so many seconds and records this kind. */
  agent(seconds: number, kind?: string): string;
  signatures(): Signature[];
  /** PIDs of the worker's agents that are still alive. */
  alive(worker: string): number[];
}

// $1 is the folder of the ledger, $2 the duration in seconds, $3 the kind. The name of the home folder is the worker.
// Zombie processes do not count as alive.
const AGENT = `#!/bin/sh
home=\${PWD#*/homes/}
worker=\${home%%/*}
me=$CONVERGE_RUN@$worker@$3
echo "$me" > "$1/active/$$"
among=
for file in "$1"/active/*; do
  stat=
  read -r stat 2>/dev/null < "/proc/\${file##*/}/stat"
  case $stat in ''|*') Z '*|*') X '*) continue ;; esac
  read -r who 2>/dev/null < "$file" && among="$among $who"
done
echo "begin $CONVERGE_RUN $CONVERGE_ITERATION $worker $$ $3$among" >> "$1/book"
sleep "$2"
[ ! -w README.md ] || echo "iteration $CONVERGE_ITERATION" >> README.md
echo "end $CONVERGE_RUN $CONVERGE_ITERATION $worker $$ $3" >> "$1/book"
rm -f "$1/active/$$"
`;

function signed(line: string): Signature {
  const [what = "", run = "", iteration = "", worker = "", pid = "", kind = "", ...among] = line.split(" ");
  const others = among.map((entry) => {
    const [run = "", worker = "", kind = ""] = entry.split("@");
    return { run, worker, kind };
  });
  return {
    what: what as Signature["what"],
    run,
    iteration: Number(iteration),
    worker,
    pid: Number(pid),
    kind,
    among: others,
  };
}

export function ledgerIn(dir: string): Ledger {
  const script = path.join(dir, "agent.sh");
  const book = path.join(dir, "book");
  fs.mkdirSync(path.join(dir, "active"), { recursive: true });
  fs.writeFileSync(script, AGENT, { mode: 0o755 });
  fs.writeFileSync(book, "");
  const signatures = () => fs.readFileSync(book, "utf8").split("\n").filter(Boolean).map(signed);
  return {
    agent: (seconds, kind = "any") => `${script} ${dir} ${seconds} ${kind}`,
    signatures,
    alive: (worker) =>
      signatures()
        .filter((one) => one.what === "begin" && one.worker === worker && isAlive(one.pid))
        .map(({ pid }) => pid),
  };
}
