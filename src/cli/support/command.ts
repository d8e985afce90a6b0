// The declaration of a command, and its registration with commander.
import { type Command as Commander, Option as CommanderOption } from "commander";
import { ConflictError, ExtensionError, TamperedError, UsageError } from "#spec/errors";
import { INTERNAL_ERROR, USAGE_ERROR } from "./exit-code.ts";
import { onReaderGone } from "./messages.ts";

export interface Argument {
  /** `<run>` if it is required, `[run]` if not, `[runs...]` for a list. */
  readonly name: string;
  readonly description: string;
  readonly default?: string;
}

export interface Option {
  /** As commander reads them, such as `-p, --prompt <text>`. */
  readonly flags: string;
  readonly description: string;
  readonly default?: string;
  /** Collects the values of a repeated option into a list. */
  readonly isRepeatable?: boolean;
}

/** One file of src/cli/commands. It is loaded to print the help, so `run` imports heavy rooms lazily. */
export interface Command {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Printed after the options. */
  readonly notes?: string;
  /** Command lines, each alone or with an explanation. */
  readonly examples?: readonly (string | readonly [line: string, explanation: string])[];
  readonly seeAlso?: string;
  readonly exitCodes?: string;
  /** Only reads: ends without an error when its reader goes away, as in `converge show | head -1`. */
  readonly isRead?: boolean;
  readonly isHidden?: boolean;
  /** Runs if its parent is called without a subcommand. */
  readonly isDefault?: boolean;
  readonly subcommands?: readonly Command[];
  /** Returns the exit code, or "help" to print the help of the command. */
  run?(args: readonly unknown[], flags: object): Promise<number | "help">;
}

const EXAMPLE_COLUMNS = 46;

function exampleLine(example: string | readonly [string, string]): string {
  if (typeof example === "string") return `  ${example}`;
  const [line, explanation] = example;
  return `  ${line.padEnd(EXAMPLE_COLUMNS - 2)}  ${explanation}`;
}

function helpAfter({ notes, examples = [], seeAlso, exitCodes }: Command): string {
  const sections = [
    ...(notes ? [notes] : []),
    ...(examples.length > 0 ? [`Examples:\n${examples.map(exampleLine).join("\n")}`] : []),
    ...(seeAlso ? [seeAlso] : []),
    ...(exitCodes ? [`Exit codes: ${exitCodes}`] : []),
  ];
  return sections.map((section) => `\n${section}`).join("\n");
}

/** `before` is false after the negated form of the option (`--no-…`): the last one given wins. */
const collect = (value: string, before: readonly string[] | false = []) => [...(before || []), value];

function commanderOption({ flags, description, isRepeatable, default: usual }: Option): CommanderOption {
  const option = new CommanderOption(flags, description);
  if (usual !== undefined) option.default(usual);
  return isRepeatable ? option.argParser(collect) : option;
}

/** The property of the parsed flags that holds the option's value: `maxTime` for `--max-time`. */
export const attributeOf = ({ flags }: Option): string => new CommanderOption(flags).attributeName();

/** The long form of an option, as users type it. */
export const longFlagOf = ({ flags }: Option): string => new CommanderOption(flags).long ?? flags;

/** Prints an error and returns its exit code. Only bugs have a stack trace. */
async function reportError(error: unknown): Promise<number> {
  const isMisuse = error instanceof UsageError || error instanceof ExtensionError;
  const isExpected = isMisuse || error instanceof ConflictError || error instanceof TamperedError;
  const text = isExpected ? (error as Error).message : ((error as Error).stack ?? String(error));
  const { mask } = await import("#system/mask-text");
  process.stderr.write(`converge: ${mask(text)}\n`);
  return isMisuse ? USAGE_ERROR : INTERNAL_ERROR;
}

async function runCommand(command: Command, parsed: Commander): Promise<void> {
  if (command.isRead) onReaderGone(() => process.exit());
  try {
    const code = await command.run?.(parsed.processedArgs, parsed.optsWithGlobals());
    if (code === "help") parsed.help();
    else process.exitCode = code;
  } catch (error) {
    process.exitCode = await reportError(error);
  }
}

/** Registers a command and its subcommands. */
export function addCommand(parent: Commander, command: Command): void {
  const { name, description, arguments: args = [], options = [], subcommands = [] } = command;
  const { isHidden: hidden = false, isDefault = false } = command;
  const added = parent.command(name, { hidden, isDefault }).description(description);
  for (const argument of args) added.argument(argument.name, argument.description, argument.default);
  for (const option of options) added.addOption(commanderOption(option));
  const after = helpAfter(command);
  if (after) added.addHelpText("after", after);
  for (const subcommand of subcommands) addCommand(added, subcommand);
  if (command.run) added.action(() => runCommand(command, added));
}
