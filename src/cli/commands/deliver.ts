// converge deliver
import { deliverRun } from "#runs/deliver-run";
import { openContext } from "#state/context";
import { findRun } from "#state/find-run";
import { afterDelivery, stepParts } from "../output/next.ts";
import { deliveredParts } from "../output/result-rows.ts";
import { render } from "../output/spans.ts";
import { styleFor } from "../output/style.ts";
import { NOT_DELIVERED, STOPPED } from "../support/exit-code.ts";
import { warn } from "../support/warn.ts";

export interface DeliverFlags {
  readonly as?: string;
  readonly branch?: string;
  readonly file?: string;
  readonly remote?: string;
  readonly base?: string;
  readonly message?: string;
  readonly whenRed?: boolean;
  readonly json?: boolean;
}

export async function deliver(given: string, flags: DeliverFlags): Promise<number> {
  const { as, json, ...options } = flags;
  const app = openContext();
  const id = await findRun(app, given);
  const controller = new AbortController();
  const cancel = () => controller.abort();
  process.once("SIGINT", cancel).once("SIGTERM", cancel);
  const wish = { ...(as && { type: as }), ...options };
  const done = await deliverRun(app, id, { as: wish, signal: controller.signal, warn }).catch(
    (error: Error) => {
      if (!controller.signal.aborted) throw error;
      process.stderr.write(`converge: ${error.message}\n`);
    },
  );
  if (!done) return STOPPED;
  const { run, delivered } = done;
  const style = styleFor(process.stdout, process.env);
  const columns = process.stdout.columns || 100;
  const rows = [
    ...deliveredParts(delivered, style, columns),
    ...afterDelivery(run).map((step) => ["  ", ...stepParts(step, columns - 2)]),
  ];
  const text = json
    ? JSON.stringify(delivered)
    : rows.map((parts) => render(parts, columns, style)).join("\n");
  process.stdout.write(`${text}\n`);
  return delivered.problem === undefined ? 0 : NOT_DELIVERED;
}
