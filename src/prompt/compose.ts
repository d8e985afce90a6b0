// Composes the prompt of the next iteration from the run so far.
import type { Run } from "#spec/run";
import { feedbackFor } from "./feedback.ts";
import { DEFAULT_TEMPLATE } from "./prompt-templates.ts";
import { render } from "./template.ts";

/** `variables` are the memory's text and the user's own; `file` is the path of `feedbackFile`'s text. */
export function compose(run: Run, variables: Readonly<Record<string, string>>, file?: string): string {
  const { task } = run;
  return render(task.template?.text ?? DEFAULT_TEMPLATE, {
    ...variables,
    task: task.prompt.trim(),
    feedback: feedbackFor(run, file),
    iteration: run.iterations.length + 1,
    "max-iterations": task.limits.iterations,
    promise: task.promise ?? "",
    run: run.id,
    gates: task.gates.map((gate) => gate.name).join(", "),
  });
}
