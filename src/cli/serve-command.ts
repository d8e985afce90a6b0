// Defines `converge serve`.
import type { Command } from "commander";
import type { Action } from "./support/action.ts";
import { collect } from "./support/collect.ts";

export function serveCommand(program: Command, action: Action): void {
  program
    .command("serve")
    .description("the page and the HTTP API: look at runs, start them, and speak to them")
    .option("--port <n>", "port to listen on; 0 takes any that is free", "4470")
    .option(
      "--host <address>",
      "address to listen on; others than this machine's own need --token-file",
      "127.0.0.1",
    )
    .option(
      "--allow-host <name>",
      "another name that it is reached by, as behind a proxy; may be given several times",
      collect,
    )
    .option("--token-file <file>", "token to let people in with, instead of one of its own")
    .option("--open", "open the page in the browser")
    .addHelpText(
      "after",
      `
Only who has the link comes in, and the link is good once. Runs do not depend on the server: it may end at any time.

Examples:
  converge serve                                the page, for the browser on this machine
  converge serve --port 8080 --open
  converge serve --host 0.0.0.0 --token-file ~/.converge-token --allow-host ci.example.org     behind a proxy with TLS

See docs/server.md for the API, and for what to mind when others can reach it.

Exit codes: 0 ended by Ctrl-C, 2 usage error`,
    )
    .action(action(async (flags) => (await import("./commands/serve.ts")).serve(flags)));
}
