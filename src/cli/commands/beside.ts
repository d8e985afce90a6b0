// converge run --ui: the page beside the run. Whatever goes wrong with it, the run goes on.
import { serveBeside } from "#server/beside";

const say = (text: string) => process.stderr.write(`${text}\n`);

/** What ends it; undefined when it could not be had. */
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
