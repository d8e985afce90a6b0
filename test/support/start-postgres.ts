// Vitest global setup: one Postgres server for all tests, or the one in CONVERGE_TEST_DATABASE_URL.
import fs from "node:fs";
import type { TestProject } from "vitest/node";
import { copyPrograms, startServer } from "./postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** URL with a user that may create databases and roles. */
    readonly databaseUrl: string;
    /** Folder of the Postgres programs, for tests that start their own server. */
    readonly postgresPrograms: string;
  }
}

/** Faster settings without fsync. Durability tests start their own server with default settings. */
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
