// converge hook install, uninstall: adds session loops to the settings of agent programs, and removes them.

import type { Installed, Place } from "#hooks/install/place";
import { UsageError } from "#spec/errors";
import { unknownName } from "#text/nearest-name";
import { whole } from "../support/positive-int.ts";

export interface InstallFlags {
  readonly project?: boolean;
  readonly user?: boolean;
  readonly maxIterations?: string;
}

type Work = (place: Place) => Installed | Promise<Installed>;

interface Installer {
  readonly install: Work;
  readonly uninstall: Work;
}

const INSTALLERS: Readonly<Record<string, () => Promise<Installer>>> = {
  claude: async () => {
    const { installClaude, uninstallClaude } = await import("#hooks/install/claude");
    return { install: installClaude, uninstall: uninstallClaude };
  },
  opencode: async () => {
    const { installOpencode, uninstallOpencode } = await import("#hooks/install/opencode");
    return { install: installOpencode, uninstall: uninstallOpencode };
  },
  codex: async () => {
    const { installCodex, uninstallCodex } = await import("#hooks/install/codex");
    return { install: installCodex, uninstall: uninstallCodex };
  },
  gemini: async () => {
    const { installGemini, uninstallGemini } = await import("#hooks/install/gemini");
    return { install: installGemini, uninstall: uninstallGemini };
  },
};

async function installerFor(host: string): Promise<Installer> {
  const load = Object.hasOwn(INSTALLERS, host) ? INSTALLERS[host] : undefined;
  if (!load) throw new UsageError(unknownName("program", host, Object.keys(INSTALLERS)));
  return load();
}

function placeOf({ project, user, maxIterations }: InstallFlags): Place {
  if (project && user) throw new UsageError("give --project or --user, not both");
  const most = whole("--max-iterations", maxIterations);
  return {
    scope: project ? "project" : "user",
    dir: process.cwd(),
    env: process.env,
    ...(most !== undefined && { maxIterations: most }),
  };
}

function tell({ done, notes }: Installed, nothing: string): number {
  for (const line of done.length > 0 ? done : [nothing]) process.stdout.write(`${line}\n`);
  for (const note of notes) process.stdout.write(`note: ${note}\n`);
  return 0;
}

export async function install(host: string, flags: InstallFlags): Promise<number> {
  if (flags.maxIterations !== undefined && host !== "claude")
    throw new UsageError("--max-iterations is for Claude Code, which lets go by itself; say it with /ralph");
  const { install: work } = await installerFor(host);
  return tell(await work(placeOf(flags)), "Everything was in place already.");
}

export async function uninstall(host: string, flags: InstallFlags): Promise<number> {
  const { uninstall: work } = await installerFor(host);
  return tell(await work(placeOf(flags)), "There was nothing of ours to take away.");
}
