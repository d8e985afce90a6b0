// Resolves RUN as users type it: the id, a unique prefix, or `last`.
import { UsageError } from "#spec/errors";
import type { Context } from "./context.ts";

export async function findRun(app: Context, typed: string): Promise<string> {
  const rows = await app.store.runs();
  if (rows.length === 0) throw new UsageError("there are no runs yet; start one with `converge run`");
  const newest = rows[0]?.id ?? "";
  if (typed === "last") return newest;
  const matches = rows.filter((row) => row.id === typed || row.id.startsWith(typed));
  const exact = matches.find((row) => row.id === typed);
  if (exact) return exact.id;
  if (matches.length === 1 && matches[0]) return matches[0].id;
  const ids = (matches.length > 0 ? matches : rows).slice(0, 5).map((row) => row.id);
  throw new UsageError(
    matches.length > 1
      ? `"${typed}" begins ${matches.length} runs: ${ids.join(", ")}; type one more character`
      : `there is no run "${typed}"; the newest are ${ids.join(", ")} (\`converge ls\` lists them all)`,
  );
}
