// Hands a tree over to the user's repository.
import type { Workspace } from "#spec/workspace";

export interface DeliveryPlace {
  /** The shadow's git directory. */
  readonly gitDir: string;
  /** The workspace. */
  readonly dir: string;
}

export function deliverer(_place: DeliveryPlace): Pick<Workspace, "deliver"> {
  return { deliver: () => Promise.reject(new Error("delivery is not built yet")) };
}
