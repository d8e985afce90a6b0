// Entry point of the CLI: loads the declaration of the command that was typed, or all of them for the help.
import { Command as Commander } from "commander";
import { COMMANDS } from "./commands/index.ts";
import { addCommand } from "./support/command.ts";
import { RUN_EXIT_CODES, USAGE_ERROR } from "./support/exit-code.ts";

export async function main(argv: readonly string[]): Promise<void> {
  const program = new Commander("converge")
    .description("Runs any coding agent, again and again, until your gates pass, and knows when to stop.")
    .option("-V, --version", "print the version")
    .showHelpAfterError("(for more, see: converge --help, or converge COMMAND --help)")
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : USAGE_ERROR))
    .addHelpText("after", `\nExit codes: ${RUN_EXIT_CODES}`);
  const typed = argv[2] ?? "";
  const names = Object.hasOwn(COMMANDS, typed) ? [typed] : Object.keys(COMMANDS);
  for (const name of names) {
    const module = await COMMANDS[name]?.();
    if (module) addCommand(program, module.command);
  }
  await program.parseAsync([...argv]);
}
