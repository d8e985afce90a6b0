// Result of the validation: problems with their lines, or a summary of the task.
import type { Task } from "#spec/task";
import { counted } from "#text/format";
import { component } from "#text/labels";
import { verdictSign } from "#text/words";
import type { Problem } from "../api.ts";
import type { Validation } from "./use-validation.ts";

function placeOf({ line, column }: Problem): string {
  return line === undefined ? "" : `line ${line}${column === undefined ? "" : `, column ${column}`}`;
}

/** By line; problems without a line come last. */
function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const place = ({ line = Number.POSITIVE_INFINITY }: Problem) => line;
  return problems.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}

function Problems({ problems, onGo }: { problems: readonly Problem[]; onGo: (problem: Problem) => void }) {
  return (
    <>
      <p class="error-words">
        <strong>{counted(problems.length, "problem")}</strong>
      </p>
      <ul class="problems">
        {inOrder(problems).map((problem, at) => (
          <li key={at}>
            {problem.line !== undefined && (
              <button type="button" onClick={() => onGo(problem)}>
                {placeOf(problem)}
              </button>
            )}{" "}
            <span class="problem-words">{problem.message}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Plan({ task, warnings }: { task: Task; warnings: readonly string[] }) {
  const { agents, gates, strategy, limits, workspace } = task;
  const list = (names: readonly string[]) => names.join(", ") || "none";
  return (
    <>
      <p class="good-words">
        <strong>
          <span aria-hidden="true">{verdictSign("passed")} </span>The task is valid
        </strong>
      </p>
      <dl class="plan">
        <dt>Agent</dt>
        <dd>{list(agents.map(component))}</dd>
        <dt>Gates</dt>
        <dd>{list(gates.map(({ name }) => name))}</dd>
        <dt>Strategy</dt>
        <dd>
          {strategy.type}, at most {counted(limits.iterations, "iteration")}
        </dd>
        <dt>Works in</dt>
        <dd>
          {workspace.dir} ({workspace.type})
        </dd>
      </dl>
      {warnings.map((warning) => (
        <p key={warning} class="warn-words">
          {warning}
        </p>
      ))}
    </>
  );
}

export interface FindingsProps {
  readonly id: string;
  readonly validation: Validation;
  readonly onGo: (problem: Problem) => void;
}

export function Findings({ id, validation, onGo }: FindingsProps) {
  return (
    <div id={id} class="card findings" role="status" aria-label="Validation" aria-busy={validation.busy}>
      {validation.state === "unknown" && <p class="soft">{validation.reason}</p>}
      {validation.state === "valid" && <Plan task={validation.task} warnings={validation.warnings} />}
      {validation.state === "invalid" && <Problems problems={validation.problems} onGo={onGo} />}
      {validation.busy && <p class="soft">Checking …</p>}
    </div>
  );
}
