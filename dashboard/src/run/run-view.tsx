// A run on one page.
import { useRun } from "./run-context.ts";

export default function RunView() {
  const { overview } = useRun();
  return <section aria-label="Iterations">{overview.iterations} iterations</section>;
}
