// The examples of docs/deployment.md are what people copy: what they name has to be there.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { command as limits } from "#cli/commands/limits";
import { command as serve } from "#cli/commands/serve";
import { command as submit } from "#cli/commands/submit";
import { command as worker } from "#cli/commands/worker";
import { command as workers } from "#cli/commands/workers";
import { addCommand } from "#cli/support/command";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const read = (...parts: string[]) => fs.readFileSync(path.join(root, ...parts), "utf8");
const example = (name: string) => read("examples", "deployment", name);

/** Reads what would be typed as the command line does, and refuses what it refuses. */
function understood(args: readonly string[]): string {
  const program = new Command().exitOverride();
  let name = "";
  for (const command of [submit, worker, workers, limits, serve]) addCommand(program, command);
  for (const command of program.commands) {
    command.exitOverride().configureOutput({ writeErr: () => {} });
    command.action(() => {
      name = command.name();
    });
  }
  program.parse([...args], { from: "user" });
  return name;
}

const names = (text: string) => [...new Set(text.match(/CONVERGE_[A-Z_]+/g))].sort();

/** The variables that the sources ask their environment for. */
function variables(folder = path.join(root, "src")): string[] {
  const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  const sources = files
    .filter((file) => file.endsWith(".ts"))
    .map((file) => fs.readFileSync(path.join(folder, file), "utf8"));
  return [
    ...new Set(
      sources.flatMap((text) =>
        [...text.matchAll(/\benv\.(CONVERGE_[A-Z_]+)/g)].map(([, name]) => name as string),
      ),
    ),
  ];
}

interface Container {
  readonly args: string[];
  readonly envFrom?: { readonly secretRef: { readonly name: string } }[];
  readonly volumeMounts: { readonly name: string }[];
}

interface Pod {
  readonly containers: Container[];
  readonly initContainers?: Container[];
  readonly volumes: {
    readonly name: string;
    readonly secret?: { readonly secretName: string };
    readonly configMap?: { readonly name: string };
    readonly persistentVolumeClaim?: { readonly claimName: string };
  }[];
}

interface Thing {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own.
  readonly spec: any;
}

const things = parseAllDocuments(example("kubernetes.yaml")).map((document): Thing => {
  expect(document.errors).toEqual([]);
  return document.toJS();
});
const called = (kind: string) =>
  things.filter((thing) => thing.kind === kind).map(({ metadata }) => metadata.name);
const deployments = things.filter(({ kind }) => kind === "Deployment");

describe("the examples for deployment", () => {
  it("name commands, options and variables that there are", () => {
    const { services } = parse(example("compose.yaml"), { merge: true });
    expect([services.worker, services.serve].map(({ command }) => understood(command))).toEqual([
      "worker",
      "serve",
    ]);
    const containers: Container[] = deployments.flatMap(({ spec }) => spec.template.spec.containers);
    expect(containers.map(({ args }) => understood(args))).toEqual(["worker", "serve"]);
    const [, command = ""] = example("Dockerfile").match(/^CMD (.*)$/m) ?? [];
    expect(understood(JSON.parse(command))).toBe("worker");
    for (const file of ["compose.yaml", "kubernetes.yaml", "Dockerfile", "roles.sql"])
      for (const name of names(example(file)).filter((one) => one !== "CONVERGE_"))
        expect(variables()).toContain(name);
  });

  it("are understood as they stand on the page", () => {
    const blocks = [...read("docs", "deployment.md").matchAll(/```\w*\n([\s\S]*?)```/g)].map(
      ([, text]) => text ?? "",
    );
    const typed = blocks
      .flatMap((text) => text.split("\n"))
      .flatMap(
        (line) =>
          line.match(
            /^(?:CONVERGE_\w+=\S+ )*converge ((?:worker|submit|limits|workers|serve)\b[^#]*)/,
          )?.[1] ?? [],
      );
    expect(typed.length).toBeGreaterThan(3);
    for (const line of typed) expect(() => understood(line.trim().split(/\s+/)), line).not.toThrow();
    expect(() => understood(["worker", "--nonsense"])).toThrow(/unknown option/);
  });

  it.each(deployments)("name only what is there: $metadata.name", ({ spec: { selector, template } }) => {
    const { volumes, containers, initContainers = [] } = template.spec as Pod;
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    const all = [...containers, ...initContainers];
    const mounted = all.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name));
    expect(volumes.map(({ name }) => name).sort()).toEqual([...new Set(mounted)].sort());
    const secrets = [
      ...all.flatMap(({ envFrom = [] }) => envFrom.map(({ secretRef }) => secretRef.name)),
      ...volumes.flatMap(({ secret }) => secret?.secretName ?? []),
    ];
    expect(called("Secret")).toEqual(expect.arrayContaining(secrets));
    expect(called("ConfigMap")).toEqual(
      expect.arrayContaining(volumes.flatMap(({ configMap }) => configMap?.name ?? [])),
    );
    expect(called("PersistentVolumeClaim")).toEqual(
      expect.arrayContaining(volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? [])),
    );
  });

  it("let people in by the name that the server allows", () => {
    const ingress = things.find(({ kind }) => kind === "Ingress");
    expect(called("Service")).toContain(ingress?.spec.rules[0].http.paths[0].backend.service.name);
    const [serve] = deployments.filter(({ metadata }) => metadata.name === "converge-serve");
    expect(serve?.spec.template.spec.containers[0].args).toContain(ingress?.spec.rules[0].host);
    for (const { apiVersion, metadata } of things) expect(apiVersion && metadata.name).toBeTruthy();
  });

  it("give a worker the time that its agents have to end", () => {
    const [, interrupt = "", terminate = ""] =
      read("src", "system", "processes", "process.ts").match(
        /interruptMs: ([\d_]+), terminateMs: ([\d_]+)/,
      ) ?? [];
    const most = (Number(interrupt.replaceAll("_", "")) + Number(terminate.replaceAll("_", ""))) / 1_000;
    const [worker] = deployments;
    expect(worker?.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(2 * most);
    expect(
      Number.parseInt(parse(example("compose.yaml"), { merge: true }).services.worker.stop_grace_period, 10),
    ).toBeGreaterThan(2 * most);
  });
});
