// converge agents
import { detectAgents, type InstalledAgent } from "#catalog/installed-agents";
import { type Part, tone } from "../output/spans.ts";
import { type Style, styleFor } from "../output/style.ts";
import { table } from "../output/table.ts";

export interface AgentsFlags {
  readonly json?: boolean;
}

function loginCell({ login }: InstalledAgent): Part {
  if (login === "yes") return tone("good", "logged in");
  return login === "no" ? tone("warn", "not logged in") : tone("faint", "unknown");
}

function cells(agent: InstalledAgent, style: Style): Part[] {
  if (agent.program === undefined)
    return [
      tone("faint", agent.name),
      agent.title,
      tone("faint", "not installed"),
      "",
      tone("faint", agent.about),
    ];
  const version = agent.version ?? style.glyphs.unknown;
  return [tone("strong", agent.name), agent.title, version, loginCell(agent), tone("faint", agent.about)];
}

/** Exits with 1 if no agent is installed, so that scripts can check. */
export async function agents(flags: AgentsFlags): Promise<number> {
  const found = await detectAgents(process.env);
  const code = found.some(({ program }) => program !== undefined) ? 0 : 1;
  if (flags.json) {
    for (const agent of found) process.stdout.write(`${JSON.stringify(agent)}\n`);
    return code;
  }
  const style = styleFor(process.stdout, process.env);
  const head: Part[] = ["AGENT", "", "VERSION", "LOGIN", ""].map((word) => tone("faint", word));
  const installed = found.filter(({ program }) => program !== undefined);
  const missing = found.filter(({ program }) => program === undefined);
  const rows = [...installed, ...missing].map((agent) => cells(agent, style));
  for (const line of table([head, ...rows], process.stdout.columns || 120, style))
    process.stdout.write(`${line}\n`);
  const first = installed.find(({ login }) => login === "yes") ?? installed[0];
  process.stdout.write(
    first
      ? `\nconverge run uses ${first.name} unless --agent or the task says otherwise; any other program: --agent-cmd\n`
      : "\nnone is installed; install one as shown, or use any other program with --agent-cmd\n",
  );
  return code;
}
