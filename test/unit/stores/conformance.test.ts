import path from "node:path";
import { describe, expect, it } from "vitest";
import { inMemory } from "#stores/in-memory";
import { sqlite } from "#stores/sqlite/sqlite-store";
import { reachableStoreConformance } from "#testing/reachable-store";
import { storeConformance } from "#testing/store";
import { temporary } from "../../support/folders.ts";
import { rewrite } from "../../support/tamper.ts";

storeConformance("in-memory", () => ({ store: inMemory() }), { describe, it, expect });

storeConformance(
  "sqlite",
  () => {
    const file = path.join(temporary(), "converge.db");
    return {
      store: sqlite(file),
      again: () => sqlite(file),
    };
  },
  { describe, it, expect },
);

reachableStoreConformance(
  "sqlite",
  () => {
    const file = path.join(temporary(), "converge.db");
    return { open: () => sqlite(file), rewrite: (run, change) => rewrite(file, run, change) };
  },
  { describe, it, expect },
);
