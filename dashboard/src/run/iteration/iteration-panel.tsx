// One iteration in detail: verdicts, decision, agent, files, and the prompt as sent.
import type { IterationDetail } from "#spec/overview";
import { amount, counted } from "#text/format";
import { iterationTitle, standing } from "#text/words";
import { Failure } from "../../parts/failure.tsx";
import { Fold } from "../../parts/fold.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Quote } from "../../parts/quote.tsx";
import { useRun } from "../run-context.ts";
import { select, useSelection } from "../selection.ts";
import { AgentPart } from "./agent.tsx";
import { Changes } from "./changes.tsx";
import { DecisionPart } from "./decision.tsx";
import { Links } from "./links.tsx";
import { People } from "./people.tsx";
import { useDetail } from "./use-detail.ts";
import { VerdictPart } from "./verdict.tsx";

function Files({ row, changes, tampering }: IterationDetail) {
  const lines = row.changedLines === undefined ? "" : `, ${counted(row.changedLines, "line")}`;
  return (
    <>
      {tampering.length > 0 && (
        <Notice tone="bad" title="Protected files were changed">
          <Changes changes={tampering} label="Protected files that were changed" />
        </Notice>
      )}
      {changes.length > 0 && (
        <Fold title="Changed files" about={`${counted(row.files ?? changes.length, "file")}${lines}`}>
          <Changes changes={changes} label="Changed files" />
        </Fold>
      )}
    </>
  );
}

function Detail({ detail }: { detail: IterationDetail }) {
  const { gate } = useSelection();
  const { row, prompt, note, verdicts } = detail;
  return (
    <>
      <section class="part" aria-label="Verdicts">
        <h3>Verdicts</h3>
        {verdicts.length === 0 && <p class="soft">No gate has judged it yet.</p>}
        {verdicts.map((judged) => (
          <VerdictPart key={`${row.number} ${judged.gate}`} judged={judged} chosen={judged.gate === gate} />
        ))}
      </section>
      <People {...detail} />
      {row.decision && <DecisionPart decision={row.decision} />}
      <AgentPart {...detail} />
      <section class="part" aria-label="Files and texts">
        <Files {...detail} />
        {prompt && (
          <Fold title="Prompt and feedback as sent" about={`${amount(prompt.length)} characters`}>
            <Quote text={prompt} label="Prompt as sent" />
          </Fold>
        )}
        {note && (
          <Fold title="Note for later iterations" about={note.problem}>
            <Quote text={note.text} label="Note" />
          </Fold>
        )}
      </section>
    </>
  );
}

export function IterationPanel({ number }: { number: number }) {
  const { rows, best } = useRun().overview;
  const { detail, error } = useDetail(number);
  const at = rows.findIndex((row) => row.number === number);
  const row = rows[at];
  const step = (by: 1 | -1) => rows[at + by] && select(rows[at + by]?.number ?? 0);
  return (
    <section class="card" aria-labelledby="iteration-title">
      <div class="card-head">
        <h2 id="iteration-title">
          {iterationTitle(number)}
          {row?.score !== undefined && `: ${standing(row)}`}
        </h2>
        {best?.iteration === number && <span class="badge state-converged">★ best</span>}
        <Links number={number} />
        <span class="steps">
          <button
            type="button"
            class="small"
            aria-label="Previous iteration"
            disabled={at <= 0}
            onClick={() => step(-1)}
          >
            ‹
          </button>
          <button
            type="button"
            class="small"
            aria-label="Next iteration"
            disabled={at >= rows.length - 1}
            onClick={() => step(1)}
          >
            ›
          </button>
        </span>
      </div>
      <Failure error={error} />
      {detail ? <Detail detail={detail} /> : error === undefined && <p class="loading">Loading …</p>}
    </section>
  );
}
