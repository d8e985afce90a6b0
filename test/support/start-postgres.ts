// For vitest, before the tests with Postgres: one server for all, or the one that CONVERGE_TEST_DATABASE_URL names.
import fs from "node:fs";
import type { TestProject } from "vitest/node";
import { copyPrograms, startServer } from "./postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Its user may make databases and roles. */
    readonly databaseUrl: string;
    /** For tests that need a server of their own. */
    readonly postgresPrograms: string;
  }
}

/** Nobody cuts its power; what is durable is tested on servers that are as they come. */
const QUICK = ["-c", "max_connections=200", "-c", "fsync=off"];

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const programs = copyPrograms();
  const given = process.env.CONVERGE_TEST_DATABASE_URL;
  const server = given ? undefined : await startServer(programs, QUICK);
  project.provide("databaseUrl", given ?? server?.url ?? "");
  project.provide("postgresPrograms", programs);
  return async () => {
    await server?.dispose();
    fs.rmSync(programs, { recursive: true, force: true });
  };
}
