// Variables for every process that is started from within some work, whoever starts it: where it stands in a trace.
import { AsyncLocalStorage } from "node:async_hooks";

type Variables = Readonly<Record<string, string>>;

const current = new AsyncLocalStorage<Variables>();

export const variablesHere = (): Variables => current.getStore() ?? {};

export function withVariables<T>(variables: Variables, work: () => T): T {
  return current.run(variables, work);
}
