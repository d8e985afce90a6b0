// Opens the worker presence of the shared database. Fails without a database.

import { UsageError } from "#spec/errors";
import type { Presence } from "#spec/presence";
import { openContext } from "#state/context";

export function sharedPresence(): { readonly presence: Presence; readonly url: string } {
  const { presence } = openContext().store;
  const url = process.env.CONVERGE_DATABASE_URL;
  if (presence && url) return { presence, url };
  throw new UsageError(
    "expected the database that everybody shares: CONVERGE_DATABASE_URL=postgres://USER:PASSWORD@HOST/DATABASE",
  );
}
