// converge hook: the command that agent programs call on session events, and its installers.
import type { Installed, Place } from "#hooks/install/place";
import { UsageError } from "#spec/errors";
import { unknownName } from "#text/nearest-name";
import type { Command } from "../support/command.ts";
import { INTERNAL_ERROR } from "../support/exit-code.ts";
import { print, printNote } from "../support/messages.ts";
import { positiveInt } from "../support/values.ts";

const MAX_INPUT_BYTES = 64 * 1_048_576;

async function readStandardInput(): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin) {
    size += piece.length;
    if (size > MAX_INPUT_BYTES)
      throw new UsageError(`standard input is longer than ${MAX_INPUT_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** Handles a hook such as `claude-stop`. Must not exit with 2, our usage error: programs take it as "continue". */
async function handleHook(name: string): Promise<number> {
  const { HOSTS, hostAndEvent } = await import("#hooks/hosts");
  const hook = hostAndEvent(name);
  if (!hook) {
    const known = HOSTS.flatMap((host) => host.events.map((event) => `${host.name}-${event}`));
    printNote(`converge: ${unknownName("hook", name, known)}`);
    return INTERNAL_ERROR;
  }
  const { answer } = await import("#hooks/answer");
  // Treat oversized input as empty: it cannot be the program's JSON.
  const input = await readStandardInput().catch(() => "");
  print(await answer(hook.host, hook.event, input));
  return 0;
}

interface InstallFlags {
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

async function installerFor(program: string): Promise<Installer> {
  const load = Object.hasOwn(INSTALLERS, program) ? INSTALLERS[program] : undefined;
  if (!load) throw new UsageError(unknownName("program", program, Object.keys(INSTALLERS)));
  return load();
}

function placeOf({ project, user, maxIterations }: InstallFlags): Place {
  if (project && user) throw new UsageError("give --project or --user, not both");
  const max = positiveInt("--max-iterations", maxIterations);
  return {
    scope: project ? "project" : "user",
    dir: process.cwd(),
    env: process.env,
    ...(max !== undefined && { maxIterations: max }),
  };
}

function printInstalled({ done, notes }: Installed, nothing: string): number {
  for (const line of done.length > 0 ? done : [nothing]) print(line);
  for (const note of notes) print(`note: ${note}`);
  return 0;
}

const PROGRAM = { name: "<program>", description: Object.keys(INSTALLERS).join(", ") };
const scopeOptions = [
  { flags: "--user", description: "in your user settings, for all projects (default)" },
  { flags: "--project", description: "in the settings of the current folder" },
];

const install: Command = {
  name: "install",
  description:
    "install /ralph, which loops inside sessions of an agent program; overwrites none of your settings",
  arguments: [PROGRAM],
  options: [
    ...scopeOptions,
    {
      flags: "--max-iterations <n>",
      description: "only with claude: maximum number of iterations of a session (default: 100)",
    },
  ],
  examples: [
    ["converge hook install claude", 'then, in Claude Code: /ralph "Fix the parser." --gate "npm test"'],
    ["converge hook install opencode --project", "for this folder only"],
    ["converge hook uninstall claude", "removes exactly what was added"],
  ],
  isRead: true,
  async run([program]: [string], flags: InstallFlags) {
    if (flags.maxIterations !== undefined && program !== "claude")
      throw new UsageError(
        "--max-iterations works only with claude, which limits sessions itself; for other programs, give it to /ralph",
      );
    const installer = await installerFor(program);
    return printInstalled(await installer.install(placeOf(flags)), "Everything was already installed.");
  },
};

const uninstall: Command = {
  name: "uninstall",
  description: "remove what install added",
  arguments: [PROGRAM],
  options: scopeOptions,
  isRead: true,
  async run([program]: [string], flags: InstallFlags) {
    const installer = await installerFor(program);
    return printInstalled(await installer.uninstall(placeOf(flags)), "Nothing was installed.");
  },
};

/** Session loops for programs that cannot import us: reads one call, prints one answer. */
const session: Command = {
  name: "session",
  description: "answer one call of a session loop, read from standard input",
  isHidden: true,
  async run() {
    const { answerCall } = await import("#hooks/session-call");
    print(await answerCall(await readStandardInput()));
    return 0;
  },
};

export const command: Command = {
  name: "hook",
  description: "run loops inside interactive sessions of agent programs",
  arguments: [
    {
      name: "[hook]",
      description: "a hook of an agent program, such as claude-stop; reads its JSON from standard input",
    },
  ],
  subcommands: [install, uninstall, session],
  async run([name]: [string?]) {
    return name === undefined ? "help" : handleHook(name);
  },
};
