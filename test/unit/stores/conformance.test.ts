import path from "node:path";
import { describe, expect, it } from "vitest";
import { inMemory } from "#stores/in-memory";
import { sqlite } from "#stores/sqlite";
import { storeConformance } from "#testing/store";
import { temporary } from "../../support/folders.ts";

storeConformance("in-memory", () => ({ store: inMemory() }), { describe, it, expect });

storeConformance(
  "sqlite",
  () => {
    const file = path.join(temporary(), "converge.db");
    return { store: sqlite(file), again: () => sqlite(file) };
  },
  { describe, it, expect },
);
