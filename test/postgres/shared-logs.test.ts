import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { exportRun } from "#runs/transfer/export";
import { importRun } from "#runs/transfer/import";
import { LOG_HEAD_BYTES, LOG_TAIL_BYTES, type SharedLogs } from "#spec/shared-logs";
import { openContext } from "#state/context";
import { startedAt } from "#testing/store";
import { freshCopies } from "#views/fetch-logs";
import { newestLines } from "#views/log-files";
import { logPiece } from "#views/log-page";
import { execute, freshDatabase } from "../support/database.ts";
import { temporary } from "../support/folders.ts";
import { deskOn, RUN } from "../support/shared-logs.ts";
import { waitFor } from "../support/wait.ts";

const LOG = "1/agent/stdout.log";

async function twoDesks() {
  const url = await freshDatabase();
  return { url, here: deskOn(url), there: deskOn(url) };
}

const copy = (text: string) => ({ text, isCopy: true });
const original = (text: string) => ({ text, isCopy: false });

describe("logs of a run on another machine", () => {
  it("are shown while they grow, and whole at the end", async () => {
    const { here, there } = await twoDesks();
    const driver = here.driver();
    here.add(LOG, "first\n");
    here.add("1/tests/2/stderr.log", "red\n");
    await waitFor(async () => (await there.shown())?.text === "first\n");
    here.add(LOG, "second\n");
    await waitFor(async () => (await there.shown())?.text === "first\nsecond\n");
    here.add(LOG, "last\n");
    await driver.close();
    expect(await there.shown()).toEqual(copy("first\nsecond\nlast\n"));
    expect(await there.shown("tests run 2")).toEqual(copy("red\n"));
    expect(await here.shown()).toEqual(original("first\nsecond\nlast\n"));
    expect(here.warnings).toEqual([]);
  });

  it("of a long one say how much was left out, and a chunk of it can be read", async () => {
    const { here, there } = await twoDesks();
    const lines = Array.from({ length: 400_000 }, (_, index) => `line ${index}\n`).join("");
    here.add(LOG, lines);
    await here.driver().close();
    const { text = "" } = (await there.shown()) ?? {};
    const gap = lines.length - LOG_HEAD_BYTES - LOG_TAIL_BYTES;
    const [head, tail] = text.split(`\n… ${gap} bytes left out …\n`);
    expect([head === lines.slice(0, LOG_HEAD_BYTES), tail === lines.slice(-LOG_TAIL_BYTES)]).toEqual([
      true,
      true,
    ]);
    const piece = await logPiece(there.app, RUN, {
      ...{ iteration: 1, part: "agent", stream: "stdout", from: -20, bytes: 20 },
    });
    expect(piece.text).toBe("line 399999\n");
  });

  it("return their newest lines to a watcher", async () => {
    const { here, there } = await twoDesks();
    here.add("2/tests/stdout.log", "one\ntwo\nthree\n");
    here.driver(1, { run: RUN });
    const freshen = freshCopies(there.app);
    await waitFor(() => {
      freshen(RUN);
      return newestLines(there.app, RUN, 2).length > 0;
    });
    expect(newestLines(there.app, RUN, 2)).toEqual(["two", "three"]);
  });

  it("are exported, and imported with the run", async () => {
    const { here, there } = await twoDesks();
    here.add(LOG, "far away\n");
    await here.driver().close();
    await there.app.store.append(RUN.id, 0, [startedAt(RUN.id, 0)]);
    there.add("1/tests/stdout.log", "from here\n");
    const file = path.join(there.app.home.dir, "run.tar.gz");
    expect(await exportRun(there.app, RUN.id, fs.createWriteStream(file))).toMatchObject({ logs: 2 });
    const third = openContext({ CONVERGE_HOME: temporary() });
    onTestFinished(() => third.store.close());
    await importRun(third, file);
    const read = (name: string) => fs.readFileSync(path.join(third.home.runDir(RUN.id), name), "utf8");
    expect([read(LOG), read("1/tests/stdout.log")]).toEqual(["far away\n", "from here\n"]);
  });

  it("are copied once for concurrent readers", async () => {
    const { here, there } = await twoDesks();
    const driver = here.driver();
    let all = "";
    for (const round of [1, 2, 3]) {
      const more = `round ${round}\n`.repeat(20_000);
      here.add(LOG, more);
      all += more;
      await waitFor(async () => (await here.logs.list(RUN.id))[0]?.bytes === all.length);
      const shown = await Promise.all(Array.from({ length: 6 }, () => there.shown()));
      expect(shown.map((one) => one?.text === all)).toEqual(shown.map(() => true));
    }
    await driver.close();
  });

  it("are never written to a path from the database", async () => {
    const { url, here, there } = await twoDesks();
    here.add(LOG, "good\n");
    await here.driver().close();
    const names = [
      "../../evil.log",
      "1/../../stdout.log",
      "/tmp/evil/stdout.log",
      "1/agent/evil.sh",
      "x/agent/stdout.log",
    ];
    for (const name of names)
      await here.logs.keep(RUN.id, { file: name, origin: "evil", since: 1 }, [
        { at: 0, bytes: Buffer.from("evil") },
      ]);
    expect(await execute(url, "SELECT FROM converge.logs")).toHaveLength(names.length + 1);
    await there.shown();
    const written = fs.readdirSync(there.app.home.dir, { recursive: true, withFileTypes: true });
    const files = written.filter((entry) => entry.isFile()).map(({ name }) => name);
    expect(files.filter((name) => /\.log$|\.sh$/.test(name))).toEqual(["stdout.log"]);
    const strange = there.app.home.copiesOf("../../x");
    expect(path.dirname(strange)).toBe(path.dirname(there.app.home.copiesOf("a")));
  });
});

describe("the next driver of a run", () => {
  it("continues where a dead process stopped sending", async () => {
    const { here, there } = await twoDesks();
    here.driver();
    here.add(LOG, "before\n");
    await waitFor(async () => (await here.logs.list(RUN.id))[0]?.bytes === 7);
    here.add(LOG, "and after\n");
    const sent: number[] = [];
    const keep: SharedLogs["keep"] = (run, log, pieces) => {
      sent.push(...pieces.map(({ at }) => at));
      return here.logs.keep(run, log, pieces);
    };
    const next = here.driver(2, { logs: { ...here.logs, keep } });
    await next.close();
    expect([await there.shown(), sent]).toEqual([copy("before\nand after\n"), [7]]);
  });

  it.each([
    ["became shorter", "new\n"],
    ["was replaced by a longer one", "something else, and longer than before\n"],
  ])("resends a log that %s", async (_, text) => {
    const { here, there } = await twoDesks();
    here.add(LOG, "written before\n");
    await here.driver().close();
    expect(await there.shown()).toEqual(copy("written before\n"));
    fs.rmSync(here.file(LOG));
    here.add(LOG, text);
    await here.driver(2).close();
    const read = await here.logs.read(RUN.id, LOG, 0);
    expect(Buffer.concat(read.map(({ bytes }) => bytes)).toString()).toBe(text);
  });

  it("detects a log that is rewritten during the run", async () => {
    const { here, there } = await twoDesks();
    const driver = here.driver();
    here.add(LOG, "the first attempt\n");
    await waitFor(async () => (await there.shown())?.text === "the first attempt\n");
    fs.truncateSync(here.file(LOG));
    here.add(LOG, "another\n");
    await driver.close();
    expect(await there.shown()).toEqual(copy("another\n"));
  });

  it("replaces the log of a repeated iteration, also on the machine of the first attempt", async () => {
    const { here, there } = await twoDesks();
    here.add(LOG, "half of the first att");
    await here.driver(1).close();
    const other = there.driver(5);
    there.add(LOG, "done again\n");
    await other.close();
    expect([await here.shown(), await there.shown()]).toEqual([
      copy("done again\n"),
      original("done again\n"),
    ]);
    // When this machine drives again, its old attempt stays hidden until something is appended to it.
    const back = here.driver(9, { run: RUN });
    here.add("2/agent/stdout.log", "on\n");
    await back.close();
    expect([(await here.shown())?.text, await there.shown("agent", 2)]).toEqual([
      "done again\n",
      copy("on\n"),
    ]);
    const again = here.driver(12, { run: RUN });
    here.add(LOG, "empt, and the second\n");
    await again.close();
    const whole = "half of the first attempt, and the second\n";
    expect([await here.shown(), await there.shown()]).toEqual([original(whole), copy(whole)]);
  });

  it("is not disturbed by an earlier driver that does not know yet that it lost the run", async () => {
    const { here, there } = await twoDesks();
    const zombie = here.driver(1);
    here.add(LOG, "early\n");
    await waitFor(async () => (await here.logs.list(RUN.id)).length === 1);
    const driver = there.driver(5);
    there.add(LOG, "late\n");
    await waitFor(async () => (await here.logs.list(RUN.id))[0]?.bytes === 5);
    here.add(LOG, "zombie\n");
    await zombie.close();
    await driver.close();
    expect((await here.shown())?.text).toBe("late\n");
    expect(here.warnings).toEqual([]);
  });
});

describe("logs that cannot be sent", () => {
  it("cause one warning and are resent when sending recovers", async () => {
    const { here, there } = await twoDesks();
    let failures = 0;
    const keep: SharedLogs["keep"] = async (run, log, pieces) => {
      if (failures++ < 3) throw new Error("the line is down");
      return here.logs.keep(run, log, pieces);
    };
    const driver = here.driver(1, { logs: { ...here.logs, keep } });
    here.add(LOG, "all of it\n");
    await waitFor(async () => (await there.shown())?.text === "all of it\n");
    await driver.close();
    expect(here.warnings).toEqual([
      expect.stringMatching(/other machines cannot read all logs .*line is down/),
    ]);
  });

  it("do not keep a run from ending", async () => {
    const { here } = await twoDesks();
    here.add(LOG, "x");
    const driver = here.driver(1, { logs: { ...here.logs, list: () => new Promise(() => {}) }, graceMs: 50 });
    await driver.close();
    expect(here.warnings).toEqual([expect.stringMatching(/not sent within/)]);
  });
});
