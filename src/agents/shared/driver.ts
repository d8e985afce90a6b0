// What a coding-agent CLI is, as data: what it needs, how it is called, and how its output is read.
import type { AgentFailure, Blocker, Tier, Usage } from "#spec/agent";

/** What a call is to be like. Drivers turn it into the arguments of their CLI. */
export interface Ask {
  readonly model?: string;
  /** auto: the least that works unattended. all: the CLI asks nobody and refuses nothing. */
  readonly permissions: "auto" | "all";
  /** With auto: shell commands that it may run besides editing files; each may be followed by arguments. */
  readonly commands: readonly string[];
  readonly access: "write" | "read";
  /** Goes on with this session of the CLI's own. */
  readonly session?: string;
  /** How far it is shut off by us: inside a strict tier its own sandbox is one too many. */
  readonly tier: Tier;
  /** We are root, which some CLIs take amiss. */
  readonly root: boolean;
  readonly promptFile: string;
  /** A folder outside the workspace that the prompt names and the CLI may read; absent when there is none. */
  readonly told?: string;
  /** A private folder for settings that the call needs; it is there, and the CLI cannot change it. */
  readonly folder: string;
  /** A private folder for what the CLI leaves to be read; it is there. */
  readonly reports: string;
  readonly dir: string;
}

export interface Call {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The model that it will use, as far as its settings tell, for CLIs that do not say. */
  readonly model?: string;
}

/** Something for people who watch: what it says, or the tool it uses and on what. */
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

/** How the process ended, and the end of what it printed. */
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

/** Reads what one call prints. Never throws: whatever it cannot read is no message. */
export interface Reader {
  line(line: string): readonly Shown[];
  end(ended: Ended): Report;
}

export interface Driver {
  /** What people write: `agent: claude`. */
  readonly name: string;
  readonly title: string;
  readonly program: string;
  /** A command that installs it. */
  readonly install: string;
  readonly login: {
    /** What to do, in a sentence. */
    readonly how: string;
    /** One of these set, or one of these files (from the home folder on) there, means logged in. */
    readonly variables: readonly string[];
    readonly files: readonly string[];
  };
  /** Variables that it may need besides the usual ones; `NAME_*` stands for all that begin so. */
  readonly variables: readonly string[];
  /** Files and folders, from the home folder on, that it writes to: its login and its sessions. */
  readonly state: readonly string[];
  /** Of those, what must stay as it is: settings that decide what is allowed, or that run commands. */
  readonly settings: readonly string[];
  /** Whether the prompt comes on standard input; if not, the call names the file. */
  readonly stdin: boolean;
  readonly resumes: boolean;
  /** Its permissions know single shell commands: `allow` makes a difference. */
  readonly knowsCommands: boolean;
  /** In a session that goes on, it reports the use of the whole session. */
  readonly usageOfSession?: boolean;
  call(ask: Ask): Call;
  /** For one call: what was asked for tells apart what it was refused from what it was not to do, and where it leaves files. */
  reader(ask?: Ask): Reader;
}
