// Text of agents, gates, repositories and people is shown literally and never becomes part of the page.
import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { RunEvent } from "#spec/event";
import { copying } from "../support/copied-runs.ts";
import { gitIn } from "../support/repository.ts";
import { type Sandbox, sandbox } from "../support/sandbox.ts";
import { type Serving, serving } from "../support/serving.ts";
import { visit } from "../support/visit.ts";

const evil = (field: string) => `<img src=x onerror=alert('${field}')>`;
/** Hostile text that is valid in a branch name. */
const BRANCH = "<img/src=x/onerror=alert('branch')>";
const MORE = `<script>alert(1)</script><svg onload=alert(2)><a href="javascript:alert(3)">x</a>`;

const FIELDS = [
  ...["title", "prompt", "workspace", "gate", "says", "refused", "breaks", "file", "content", "note"],
  ...[
    "test",
    "message",
    "expected",
    "actual",
    "stdout",
    "stderr",
    "steer",
    "feedback",
    "by",
    "words",
    "asks",
  ],
];

const GATE = `if [ -e done ]; then printf 'TAP version 13\\nok 1 - it works\\n1..1\\n'; exit; fi
cat <<'END'
TAP version 13
not ok 1 - ${evil("test")}
  ---
  error: "${evil("message")}"
  location: "${evil("location")}.js:3:1"
  expected: "${evil("expected")}"
  actual: "${evil("actual")}"
  ...
1..1
${evil("stdout")} ${MORE}
END
echo "${evil("stderr")}" >&2
exit 1`;

const TASK = {
  prompt: `${evil("title")}\n${evil("prompt")} ${MORE}`,
  agent: {
    type: "scripted",
    iterations: [
      [
        { write: { [`${evil("file")}.js`]: `const text = "${evil("content")}"; // ${MORE}\n` } },
        { refuse: evil("refused") },
        { say: `${evil("says")} ${MORE}` },
      ],
      [{ fail: evil("breaks") }],
      [{ write: { done: "" } }],
    ],
  },
  gates: [
    { name: evil("gate"), command: GATE },
    { name: "review", type: "approval", message: evil("asks") },
  ],
  strategy: "manual",
  memory: { type: "summarized", by: { command: `echo "${evil("note")}"` } },
  deliver: { type: "branch", branch: BRANCH },
};

/** A run with hostile text in every external field, driven until it ends. */
async function hostileRun(box: Sandbox, server: Serving): Promise<string> {
  const dir = path.join(box.dir, evil("workspace"));
  fs.mkdirSync(dir);
  const git = gitIn(dir);
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "start");
  const { id } = await server.ask<{ id: string }>("/runs", { task: TASK, dir });
  const run = `/runs/${id}`;
  const waits = (words: RegExp) =>
    expect.poll(async () => (await server.newest()).waitingFor?.reason ?? "").toMatch(words);
  await waits(/decide about iteration 1/);
  await server.ask(`${run}/steer`, { text: evil("steer") });
  await server.ask(`${run}/decide`, { choice: "continue", feedback: evil("feedback") });
  await waits(/decide about iteration 2/);
  await server.ask(`${run}/decide`, { choice: "continue" });
  await waits(/alert\('asks'\)/);
  await server.ask(`${run}/approve`, { gate: "review", by: evil("by"), message: evil("words") });
  await expect.poll(async () => (await server.newest()).state).toBe("converged");
  return id;
}

/** Converge's own words, hashes and timestamps. */
const OURS = /^([a-z]+([.-][a-z]+)*|[0-9a-f]{40,64}|\d{4}-\d\d-\d\dT[\d:.]+Z|)$/;

/** Appends hostile text to every string in the value. */
function poisoned<T>(value: T): T {
  if (typeof value === "string")
    return (OURS.test(value) ? value : `${value} ${evil("poison")} ${MORE}`) as T;
  if (Array.isArray(value)) return value.map(poisoned) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, poisoned(part)])) as T;
}

/** Elements that external text must never create. Runs in the page. */
const INJECTED = `[...document.querySelectorAll("*")].filter((element) =>
  element.matches("img, iframe, object, embed, base, script:not([src]), [href^='javascript:']") ||
  element.getAttributeNames().some((name) => name.startsWith("on"))).map((element) => element.outerHTML)`;

it("shows hostile text literally on every view", async () => {
  const box = sandbox();
  const server = await serving(box);
  const id = await hostileRun(box, server);
  const { events } = await server.ask<{ events: RunEvent[] }>(`/runs/${id}/events?limit=5000`);
  await copying(box, poisoned(events), (copies) =>
    copies.again(1, () => ({ id: "poisoned", title: evil("copy") })),
  );

  const { page } = await visit(server.link);
  const strangers: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (!/^\/($|assets\/|api\/v1\/)/.test(pathname)) strangers.push(request.url());
  });
  let seen = "";
  const look = async (place: string, ready: (page: Page) => Promise<unknown>) => {
    await page.goto(`${server.url}/#${place}`);
    await ready(page);
    expect(await page.evaluate(INJECTED), place).toEqual([]);
    seen += `${await page.locator("main").textContent()}\n`;
    const values = await page
      .locator("input, textarea")
      .evaluateAll((all: { value: string }[]) => all.map(({ value }) => value));
    seen += values.join("\n");
  };
  const text = (words: string) => (shown: Page) => shown.getByText(words).first().waitFor();

  await look("/", (shown) => shown.getByRole("row", { name: /alert\('copy'\)/ }).waitFor());
  await look(`/?q=${encodeURIComponent(evil("search"))}`, text("No run matches"));
  for (const run of [id, "poisoned"]) {
    await look(`/runs/${run}?i=0`, (shown) => shown.getByRole("heading", { name: /^Baseline/ }).waitFor());
    await look(`/runs/${run}?i=1`, text(evil("says")));
    await look(`/runs/${run}?i=2`, text(evil("breaks")));
    await look(`/runs/${run}?i=3`, text(evil("by")));
    await look(`/runs/${run}?i=1`, (shown) => shown.getByRole("button", { name: "Show as a table" }).click());
    await look(`/runs/${run}/output?iteration=1`, (shown) =>
      shown.getByRole("log").or(shown.getByText("No output.")).first().waitFor(),
    );
  }
  await look(`/runs/${id}/output?iteration=1&log=${encodeURIComponent(`stdout/${evil("gate")}`)}`, (shown) =>
    shown.getByRole("log").getByText(evil("stdout")).waitFor(),
  );
  await look(`/runs/${id}/changes`, (shown) => shown.getByRole("table").getByText(evil("content")).waitFor());
  await look(`/runs/${id}/changes?of=${encodeURIComponent(evil("snapshot"))}`, (shown) =>
    shown.getByRole("alert").waitFor(),
  );
  await look("/runs/poisoned/changes", (shown) => shown.getByRole("alert").waitFor());
  await look(`/compare?a=${id}&b=poisoned`, (shown) =>
    shown.getByRole("heading", { name: "Numbers" }).waitFor(),
  );
  await look("/model", (shown) => shown.getByRole("heading", { name: /with/ }).waitFor());
  await look(`/runs/${encodeURIComponent(evil("id"))}`, (shown) => shown.getByRole("alert").waitFor());
  const findings = page.getByRole("status", { name: "Validation" });
  await look("/new", async (shown) => {
    await shown.getByLabel("Folder to work in").fill(evil("folder"));
    await findings.getByText(evil("folder")).waitFor();
  });
  await look("/new", async (shown) => {
    await shown.getByLabel("Folder to work in").fill(box.dir);
    await shown.getByRole("textbox", { name: "Task file" }).fill(`${evil("key")}: 1`);
    await findings.getByText(evil("key")).waitFor();
  });

  for (const field of [...FIELDS, "copy", "poison", "id", "folder", "key"])
    expect(seen, field).toContain(evil(field));
  for (const words of [BRANCH, MORE]) expect(seen).toContain(words);
  expect(strangers).toEqual([]);
});

it("detects injected elements, which the content security policy blocks", async () => {
  const { link } = await serving(sandbox());
  const { page, troubles } = await visit(link);
  await page.getByRole("heading", { name: "No runs yet" }).waitFor();
  await page.evaluate(
    `document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(`${evil("real")}${MORE}`)})`,
  );
  expect(await page.evaluate(INJECTED)).toHaveLength(4);
  await expect.poll(() => troubles.length).toBeGreaterThan(0);
  for (const trouble of troubles) expect(trouble).toMatch(/^policy: /);
  troubles.length = 0;
});
