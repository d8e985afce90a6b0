// Schemas of the API responses, limited to the fields we read. All content is untrusted.
import * as z from "zod";
import { head, plain } from "#text/plain-text";

/** One line of text that is safe to show. */
const line = z
  .string()
  .nullish()
  .transform((text) =>
    head(
      plain(text ?? "")
        .replace(/\s+/g, " ")
        .trim(),
      300,
    ),
  );

const id = z.int().min(0);

const workflowRun = z.object({
  id,
  workflow_id: id,
  run_number: id,
  run_attempt: id.default(1),
  head_sha: z.string(),
  name: line,
  /** `.github/workflows/ci.yml`, sometimes with a repository before it and a ref after it. */
  path: line,
  status: line,
  conclusion: line,
  html_url: line,
});

const job = z.object({
  id,
  name: line,
  conclusion: line,
  check_run_url: line,
  html_url: line,
  steps: z
    .array(z.object({ name: line, conclusion: line }))
    .nullish()
    .transform((steps) => steps ?? []),
});

const annotation = z.object({
  path: line,
  start_line: z.number().nullish(),
  annotation_level: line,
  title: line,
  message: z
    .string()
    .nullish()
    .transform((text) => head(plain(text ?? "").trim(), 2_000)),
});

const workflow = z.object({ name: line, path: line });

export type WorkflowRun = z.infer<typeof workflowRun>;
export type Job = z.infer<typeof job>;
export type Annotation = z.infer<typeof annotation>;
export type Workflow = z.infer<typeof workflow>;

export interface Page<T> {
  readonly items: readonly T[];
  readonly total?: number;
}

export const runsPage: z.ZodType<Page<WorkflowRun>> = z
  .object({ total_count: id, workflow_runs: z.array(workflowRun) })
  .transform(({ total_count, workflow_runs }) => ({ total: total_count, items: workflow_runs }));

export const jobsPage: z.ZodType<Page<Job>> = z
  .object({ total_count: id, jobs: z.array(job) })
  .transform(({ total_count, jobs }) => ({ total: total_count, items: jobs }));

export const workflowsPage: z.ZodType<Page<Workflow>> = z
  .object({ workflows: z.array(workflow) })
  .transform(({ workflows }) => ({ items: workflows }));

export const annotationsPage: z.ZodType<Page<Annotation>> = z
  .array(annotation)
  .transform((items) => ({ items }));

const errorBody = z.object({ message: z.string() });

/** The message of an error response. */
export function errorMessage(body: string): string | undefined {
  try {
    return errorBody.safeParse(JSON.parse(body)).data?.message;
  } catch {
    return undefined;
  }
}
