import { expect, it } from "vitest";
import { problemsIn, readYaml } from "./fixtures.ts";

const HEAD = "prompt: p\nagent: claude\n";
const HIDDEN = "https://hooks.example.com/services/T0/B0/very-secret";

it("stores the host of a URL but never the URL, and masks the values of its variables", async () => {
  const text = `${HEAD}notify:
  - {webhook: "${HIDDEN}", secretEnv: HOOK_SECRET, headers: {X-Team: loop, Authorization: {env: HOOK_TOKEN}}}
  - {slack: {urlEnv: SLACK_URL}, on: [waiting, stopped, delivered, restored]}
  - {command: ./tell.sh}
  - {desktop: true}
telemetry: {endpoint: "http://127.0.0.1:4318", headersEnv: OTLP_HEADERS}
`;
  const { task, addresses } = await readYaml(text);
  const [kept = ""] = Object.keys(addresses);
  const on = ["converged", "diverged", "waiting", "blocked", "escalated", "error"];
  expect(addresses).toEqual({ [kept]: HIDDEN });
  expect(task.notify).toEqual([
    {
      ...{ type: "webhook", on, address: { host: "hooks.example.com", kept }, secretEnv: "HOOK_SECRET" },
      headers: { "X-Team": "loop", Authorization: { env: "HOOK_TOKEN" } },
    },
    { type: "slack", on: ["waiting", "stopped", "delivered", "restored"], address: { urlEnv: "SLACK_URL" } },
    { type: "command", on, command: "./tell.sh" },
    { type: "desktop", on },
  ]);
  expect(JSON.stringify(task)).not.toContain("very-secret");
  expect(task.secrets).toEqual(["HOOK_SECRET", "HOOK_TOKEN", "SLACK_URL", "OTLP_HEADERS"]);
  expect(task.telemetry).toEqual({ endpoint: "http://127.0.0.1:4318", headersEnv: "OTLP_HEADERS" });
});

const REFUSED: readonly [string, string][] = [
  [`{webhook: "file:///etc/passwd"}`, "notify[0].webhook: expected https: or http:, got file:"],
  [
    `{webhook: "${HIDDEN.slice(8)}"}`,
    "notify[0].webhook: expected a whole URL, like https://example.com/hook",
  ],
  [
    `{slack: "https://me:pass@example.com"}`,
    "notify[0].slack: expected a URL without user name and password",
  ],
  ["{on: [converged]}", "notify[0]: expected one of webhook, slack, command or desktop, got none"],
  ["{desktop: true, secretEnv: S}", "notify[0].secretEnv: has no effect without webhook"],
  [
    `{webhook: "${HIDDEN}", headers: {Authorization: Bearer abc}}`,
    "notify[0].headers.Authorization: looks like a secret and would be stored with the run; set it in the environment: {env: NAME}",
  ],
  [
    `{webhook: "${HIDDEN}", headers: {Converge-Event: x}}`,
    "notify[0].headers.Converge-Event: is set by Converge itself",
  ],
  [
    "{desktop: true, on: [converge]}",
    'notify[0].on[0]: expected converged, diverged, waiting, blocked, escalated, error, stopped, delivered or restored, got "converge"; did you mean "converged"?',
  ],
];

it.each(REFUSED)("%s is rejected without quoting a URL", async (written, message) => {
  const [problem = ""] = await problemsIn(`${HEAD}notify:\n  - ${written}\n`);
  expect(problem.replace(/^converge.yaml:\d+:\d+: /, "")).toBe(message);
});
