// converge run --ui: serves the page in the process of the run. A failure of the page never ends the run.
import { serveBeside } from "#server/beside";

const say = (text: string) => process.stderr.write(`${text}\n`);

/** Returns a handle to close the server, or undefined if it could not start. */
export async function pageBeside(id: string): Promise<{ close(): Promise<void> } | undefined> {
  try {
    const server = await serveBeside(process.argv[1] ?? "converge", (text) =>
      say(`warning: the page: ${text}`),
    );
    say(`the page of run ${id}, while it is at work: ${server.link()}`);
    return server;
  } catch (error) {
    say(`warning: there is no page, and the run goes on without: ${(error as Error).message}`);
    return undefined;
  }
}
