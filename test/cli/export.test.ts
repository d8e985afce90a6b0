import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { importRun } from "#runs/transfer/import";
import { openContext } from "#state/context";
import { temporary } from "../support/folders.ts";
import { runTask } from "../support/run-task.ts";
import { sandbox } from "../support/sandbox.ts";

const TASK = {
  agent: {
    type: "command",
    command:
      'echo "turn $CONVERGE_ITERATION" | tee -a notes.md; [ "$CONVERGE_ITERATION" -lt 3 ] || echo yes > answer',
  },
  gates: [{ name: "answer", command: "grep yes answer" }],
  strategy: { type: "fixed", iterations: 2 },
  protect: { paths: ["sealed.txt"] },
};

/** Runs two iterations without converging and exports the run. */
async function exported() {
  const { box, outcome } = await runTask(TASK, { "sealed.txt": "as it was\n" });
  expect(outcome).toBe("diverged");
  const { code, stderr } = await box.converge("export", "last", "-o", "run.tar.gz");
  expect(code, stderr).toBe(0);
  expect(fs.statSync(path.join(box.dir, "run.tar.gz")).mode & 0o777).toBe(0o600);
  return { box, file: path.join(box.dir, "run.tar.gz"), stderr };
}

interface Listed {
  readonly files: readonly { readonly bytes: number; readonly sha256: string }[];
}

/** All names under a folder, without the store's own files. */
const namesIn = (dir: string): string[] =>
  (fs.readdirSync(dir, { recursive: true }) as string[])
    .filter((name) => !/^(converge\.db|imports$|locks)/.test(name))
    .sort();

describe("converge export and import", () => {
  it("move a run to another machine, where it can be inspected, restored and resumed", async () => {
    const { box, file } = await exported();
    const there = sandbox();
    fs.renameSync(box.dir, `${box.dir}.away`);
    const away = file.replace(box.dir, `${box.dir}.away`);

    const looked = await there.converge("import", away);
    expect([looked.code, looked.stderr]).toEqual([0, ""]);
    expect(looked.stdout).toContain(`its workspace ${box.dir} does not exist on this machine`);
    const diff = await there.converge("diff", "last", "1");
    expect(diff.stdout, diff.stderr).toContain("+turn 1");
    expect((await there.converge("logs", "last", "--iteration", "2")).stdout).toContain("turn 2");
    expect((await there.converge("report", "last", "--md", "-")).stdout).toContain("Converge: not solved");
    const refused = await there.converge("resume", "last", "--max-iterations", "4");
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("converge import FILE --workspace DIR"),
    ]);

    const placed = await there.converge("import", away, "--workspace", there.dir);
    expect(placed.stdout, placed.stderr).toContain("was imported before");
    expect((await there.converge("restore", "last", "--iteration", "last")).code).toBe(0);
    expect(there.read("notes.md")).toBe("turn 1\nturn 2\n");
    const resumed = await there.converge("resume", "last", "--max-iterations", "4");
    expect(there.read("answer"), resumed.stdout + resumed.stderr).toBe("yes\n");
    expect(resumed.code).toBe(0);

    const again = await there.converge("import", away);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("is here already")]);
  });

  it("refuse damaged, foreign and forged files and leave nothing of them", async () => {
    const { file } = await exported();
    const app = openContext({ CONVERGE_HOME: temporary() });
    const whole = gunzipSync(fs.readFileSync(file));
    const put = (name: string, bytes: Buffer) => {
      const target = path.join(temporary(), name);
      fs.writeFileSync(target, bytes);
      return target;
    };
    const changed = (from: string, to: string) =>
      put("changed.tar.gz", gzipSync(Buffer.from(whole.toString("latin1").replace(from, to), "latin1")));
    const refused: readonly (readonly [string, string])[] = [
      [put("text", Buffer.from("no archive")), "incorrect header check"],
      [put("cut.tar.gz", fs.readFileSync(file).subarray(0, 2_000)), "unexpected end of file"],
      [put("cut.tar.gz", gzipSync(whole.subarray(0, whole.length - 4_096))), "it ends too early"],
      [changed('"version": 1', '"version": 2'), "the export has format 2, and this Converge knows 1"],
      [changed('"format": "converge-run"', '"format": "something-el"'), "the file is not an export of a run"],
      [changed("turn 2", "turn 9"), "checksum mismatch"],
      [changed('"name": "snapshots.pack"', '"name": "snapshots.pick"'), "which no export contains"],
      [changed('"name": "events.jsonl"', '"name": "../ents.jsonl"'), "which no export contains"],
    ];
    // A forger who also corrects the checksums.
    const forged = (from: string, to: string) => {
      const text = whole.toString("latin1");
      const { files } = JSON.parse(text.slice(512, text.indexOf("\0", 512))) as Listed;
      const start = text.indexOf("\0", 512) + ((512 - (text.indexOf("\0", 512) % 512)) % 512) + 512;
      const events = text.slice(start, start + (files[0]?.bytes ?? 0));
      const changedEvents = events.replace(from, to);
      expect(changedEvents).not.toBe(events);
      const sum = createHash("sha256").update(changedEvents, "latin1").digest("hex");
      const whole2 = text.replace(events, () => changedEvents).replace(files[0]?.sha256 ?? "", sum);
      return put("forged.tar.gz", gzipSync(Buffer.from(whole2, "latin1")));
    };
    const lies = [...refused, [forged("diverged", "converge"), "breaks the hash chain"]] as const;
    const before = namesIn(app.home.dir);
    for (const [one, why] of lies) {
      await expect(importRun(app, one), why).rejects.toThrow(why);
      await expect(importRun(app, one)).rejects.toThrow("Nothing was changed");
      expect([namesIn(app.home.dir), await app.store.runs()]).toEqual([before, []]);
    }
    // Leftovers of killed imports: one killed while reading, one just before it wrote the record.
    const run = /"run": "(\w+)"/.exec(whole.toString("latin1"))?.[1] ?? "";
    fs.mkdirSync(path.join(app.home.imports, "4194999-gone"), { recursive: true });
    fs.mkdirSync(app.home.partDir(run, 7, "agent"), { recursive: true });
    expect((await importRun(app, file)).run.ended?.outcome).toBe("diverged");
    expect(fs.readdirSync(app.home.imports)).toEqual([]);
    expect(fs.existsSync(app.home.partDir(run, 7, "agent"))).toBe(false);
    await app.store.close();
  });
});
