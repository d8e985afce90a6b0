// Checks that the deployment examples name existing commands, options, variables and resources.
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

/** Parses arguments like the command line and returns the command; throws on invalid options. */
function commandOf(args: readonly string[]): string {
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

/** The environment variables that the sources read. */
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

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own spec.
  readonly spec: any;
}

const resources = parseAllDocuments(example("kubernetes.yaml")).map((document): Resource => {
  expect(document.errors).toEqual([]);
  return document.toJS();
});
const namesOf = (kind: string) =>
  resources.filter((resource) => resource.kind === kind).map(({ metadata }) => metadata.name);
const deployments = resources.filter(({ kind }) => kind === "Deployment");

describe("the examples for deployment", () => {
  it("name existing commands, options and variables", () => {
    const { services } = parse(example("compose.yaml"), { merge: true });
    expect([services.worker, services.serve].map(({ command }) => commandOf(command))).toEqual([
      "worker",
      "serve",
    ]);
    const containers: Container[] = deployments.flatMap(({ spec }) => spec.template.spec.containers);
    expect(containers.map(({ args }) => commandOf(args))).toEqual(["worker", "serve"]);
    const [, command = ""] = example("Dockerfile").match(/^CMD (.*)$/m) ?? [];
    expect(commandOf(JSON.parse(command))).toBe("worker");
    for (const file of ["compose.yaml", "kubernetes.yaml", "Dockerfile", "roles.sql"])
      for (const name of names(example(file)).filter((one) => one !== "CONVERGE_"))
        expect(variables()).toContain(name);
  });

  it("parse as printed in docs/deployment.md", () => {
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
    for (const line of typed) expect(() => commandOf(line.trim().split(/\s+/)), line).not.toThrow();
    expect(() => commandOf(["worker", "--nonsense"])).toThrow(/unknown option/);
  });

  it.each(deployments)(
    "refer only to declared volumes, secrets, config maps and claims: $metadata.name",
    ({ spec: { selector, template } }) => {
      const { volumes, containers, initContainers = [] } = template.spec as Pod;
      expect(template.metadata.labels).toMatchObject(selector.matchLabels);
      const all = [...containers, ...initContainers];
      const mounted = all.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name));
      expect(volumes.map(({ name }) => name).sort()).toEqual([...new Set(mounted)].sort());
      const secrets = [
        ...all.flatMap(({ envFrom = [] }) => envFrom.map(({ secretRef }) => secretRef.name)),
        ...volumes.flatMap(({ secret }) => secret?.secretName ?? []),
      ];
      expect(namesOf("Secret")).toEqual(expect.arrayContaining(secrets));
      expect(namesOf("ConfigMap")).toEqual(
        expect.arrayContaining(volumes.flatMap(({ configMap }) => configMap?.name ?? [])),
      );
      expect(namesOf("PersistentVolumeClaim")).toEqual(
        expect.arrayContaining(volumes.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? [])),
      );
    },
  );

  it("route the ingress to the service under the host name that it allows", () => {
    const ingress = resources.find(({ kind }) => kind === "Ingress");
    expect(namesOf("Service")).toContain(ingress?.spec.rules[0].http.paths[0].backend.service.name);
    const [serve] = deployments.filter(({ metadata }) => metadata.name === "converge-serve");
    expect(serve?.spec.template.spec.containers[0].args).toContain(ingress?.spec.rules[0].host);
    for (const { apiVersion, metadata } of resources) expect(apiVersion && metadata.name).toBeTruthy();
  });

  it("give a worker a grace period more than twice as long as its agents'", () => {
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
