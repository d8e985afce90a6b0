// A coding-agent CLI as data: what it needs, how to call it, and how to read its output.
import type { AgentFailure, Blocker, Tier, Usage } from "#spec/agent";

/** The options of one call. Drivers convert them to arguments of their CLI. */
export interface Ask {
  readonly model?: string;
  /** auto: the least that works unattended. all: the CLI asks nobody and refuses nothing. */
  readonly permissions: "auto" | "all";
  /** With auto: shell commands it may run besides editing files; each may have more arguments. */
  readonly commands: readonly string[];
  readonly access: "write" | "read";
  /** The session of the CLI to resume. */
  readonly session?: string;
  /** Our isolation tier: in the strict tier the CLI's own sandbox cannot work. */
  readonly tier: Tier;
  /** Whether we run as root, which some CLIs refuse. */
  readonly root: boolean;
  readonly promptFile: string;
  /** A readable folder outside the workspace that the prompt names, if any. */
  readonly told?: string;
  /** An existing private folder for settings of the call; read-only for the CLI. */
  readonly folder: string;
  /** An existing private folder for files that the CLI writes for us. */
  readonly reports: string;
  readonly dir: string;
}

export interface Call {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The model according to the CLI's settings, for CLIs that do not report it. */
  readonly model?: string;
}

/** A line for people who watch: text, or a tool with what it is used on. */
export interface Shown {
  readonly text: string;
  readonly tool?: string;
}

export interface Failed {
  readonly failure: AgentFailure;
  readonly reason: string;
  readonly blockedBy?: Blocker;
  readonly retryAfterMs?: number;
}

/** How the process ended, with the end of its output. */
export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Wall clock, for reset times. */
  readonly now: Date;
}

export interface Report {
  /** Its final message. */
  readonly message: string;
  readonly usage: Usage;
  readonly model?: string;
  readonly sessionId?: string;
  readonly failed?: Failed;
  /** What it was not allowed to do, each with the setting that would allow it. */
  readonly refused?: readonly string[];
}

/** Parses the output of one call. Never throws: unreadable lines are ignored. */
export interface Reader {
  line(line: string): readonly Shown[];
  end(ended: Ended): Report;
}

export interface Driver<Name extends string = string> {
  /** The name in a task: `agent: claude`. */
  readonly name: Name;
  readonly title: string;
  readonly program: string;
  /** The install command. */
  readonly install: string;
  readonly login: {
    /** How to log in, in one sentence. */
    readonly how: string;
    /** Logged in when one of these variables is set, or one of these files exists (relative to the home folder). */
    readonly variables: readonly string[];
    readonly files: readonly string[];
  };
  /** More environment variables it may need; `NAME_*` matches a prefix. */
  readonly variables: readonly string[];
  /** Files and folders it writes to, relative to the home folder: login and sessions. */
  readonly state: readonly string[];
  /** The part of the state that must stay read-only: settings that grant permissions or run commands. */
  readonly settings: readonly string[];
  /** Whether the prompt is on standard input; otherwise the arguments name the file. */
  readonly stdin: boolean;
  readonly resumes: boolean;
  /** Whether its permissions can name single shell commands, so that `allow` has an effect. */
  readonly knowsCommands: boolean;
  /** Whether a resumed session reports the usage of the whole session. */
  readonly usageOfSession?: boolean;
  call(ask: Ask): Call;
  /** Creates the reader of one call; `ask` tells refusals from intended limits, and where its files are. */
  reader(ask?: Ask): Reader;
}
