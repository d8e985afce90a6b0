// The verdict of one gate on an iteration.
import { useEffect, useRef } from "preact/hooks";
import type { Judged } from "#spec/run";
import { duration } from "#text/format";
import { iterationName, measure, verdictSign } from "#text/words";
import { Facts } from "../../parts/facts.tsx";
import { Fold } from "../../parts/fold.tsx";
import { Quote } from "../../parts/quote.tsx";
import { Failures } from "./failures.tsx";

export interface VerdictPartProps {
  readonly judged: Judged;
  /** Whether its cell in the matrix is selected. */
  readonly chosen: boolean;
}

function Outputs({ gate, verdict }: Judged) {
  const { stdout, stderr } = verdict.evidence;
  return (
    <>
      {stdout && (
        <Fold title="End of the output">
          <Quote text={stdout} label={`End of the output of ${gate}`} />
        </Fold>
      )}
      {stderr && (
        <Fold title="End of the error output">
          <Quote text={stderr} label={`End of the error output of ${gate}`} />
        </Fold>
      )}
    </>
  );
}

export function VerdictPart({ judged: { gate, verdict }, chosen }: VerdictPartProps) {
  const fold = useRef<HTMLDetailsElement>(null);
  const { status, failures, evidence, attempts, carriedFrom, checks } = verdict;
  useEffect(() => {
    if (!chosen || !fold.current) return;
    fold.current.open = true;
    fold.current.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <details
      class={`fold verdict status-${status}`}
      ref={fold}
      open={chosen || status === "failed" || status === "errored"}
    >
      <summary>
        <span class="fold-title">
          <span class="sign">{verdictSign(status)}</span> {gate}: {status} {measure(verdict)}
        </span>{" "}
        <span class="soft">{verdict.summary}</span>
      </summary>
      <Facts
        facts={[
          ["Duration", carriedFrom === undefined ? duration(verdict.durationMs) : ""],
          [
            "Carried over from",
            carriedFrom === undefined ? "" : `${iterationName(carriedFrom)}: nothing had changed`,
          ],
          ["Command", evidence.command && <code>{evidence.command}</code>],
          ["Exit code", evidence.exitCode === undefined ? "" : String(evidence.exitCode)],
          ["Repeated judgements", attempts?.map((attempt) => attempt.status).join(", ")],
          ["Checks", checks?.map((check) => `${check.id}: ${check.status}`).join(", ")],
        ]}
      />
      <Failures failures={failures} />
      <Outputs gate={gate} verdict={verdict} />
    </details>
  );
}
