// converge agents
import type { InstalledAgent } from "#catalog/installed-agents";
import { type Part, tone } from "../output/spans.ts";
import { type Style, screenFor } from "../output/style.ts";
import { headRow, table } from "../output/table.ts";
import type { Command } from "../support/command.ts";
import { print, printJson } from "../support/messages.ts";

const isInstalled = ({ program }: InstalledAgent): boolean => program !== undefined;

function loginCell({ login }: InstalledAgent): Part {
  if (login === "yes") return tone("good", "logged in");
  return login === "no" ? tone("warn", "not logged in") : tone("faint", "unknown");
}

function cells(agent: InstalledAgent, style: Style): Part[] {
  const about = tone("faint", agent.about);
  if (!isInstalled(agent))
    return [tone("faint", agent.name), agent.title, tone("faint", "not installed"), "", about];
  const version = agent.version ?? style.glyphs.unknown;
  return [tone("strong", agent.name), agent.title, version, loginCell(agent), about];
}

function printTable(agents: readonly InstalledAgent[]): void {
  const screen = screenFor(120);
  const installed = agents.filter(isInstalled);
  const missing = agents.filter((agent) => !isInstalled(agent));
  const rows = [...installed, ...missing].map((agent) => cells(agent, screen.style));
  table([headRow(["AGENT", "", "VERSION", "LOGIN", ""]), ...rows], screen).forEach(print);
  const first = installed.find(({ login }) => login === "yes") ?? installed[0];
  print(
    first
      ? `\nconverge run uses ${first.name} unless --agent or the task names another; use --agent-cmd for any other program`
      : "\nno agent is installed; install one as shown, or use any other program with --agent-cmd",
  );
}

export const command: Command = {
  name: "agents",
  description: "list coding agents: which are installed, their versions, and whether they are logged in",
  options: [{ flags: "--json", description: "print one JSON line per agent" }],
  exitCodes: "0 an agent is installed, 1 none is installed",
  isRead: true,
  async run(_args: [], flags: { readonly json?: boolean }) {
    const { detectAgents } = await import("#catalog/installed-agents");
    const agents = await detectAgents(process.env);
    if (flags.json) for (const agent of agents) printJson(agent);
    else printTable(agents);
    return agents.some(isInstalled) ? 0 : 1;
  },
};
