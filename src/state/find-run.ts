// RUN as people type it: the id, a unique beginning of it, or `last`.
import { UsageError } from "#spec/errors";
import type { App } from "./context.ts";

export async function findRun(app: App, given: string): Promise<string> {
  const rows = await app.store.runs();
  if (rows.length === 0) throw new UsageError("there are no runs yet; start one with `converge run`");
  const newest = rows[0]?.id ?? "";
  if (given === "last") return newest;
  const found = rows.filter((row) => row.id === given || row.id.startsWith(given));
  const exact = found.find((row) => row.id === given);
  if (exact) return exact.id;
  if (found.length === 1 && found[0]) return found[0].id;
  const ids = (found.length > 0 ? found : rows).slice(0, 5).map((row) => row.id);
  throw new UsageError(
    found.length > 1
      ? `"${given}" begins ${found.length} runs: ${ids.join(", ")}; type one more character`
      : `there is no run "${given}"; the newest are ${ids.join(", ")} (\`converge ls\` lists them all)`,
  );
}
