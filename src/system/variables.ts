// Async-local environment variables that every process started within some work inherits, such as its trace context.
import { AsyncLocalStorage } from "node:async_hooks";

type Variables = Readonly<Record<string, string>>;

const current = new AsyncLocalStorage<Variables>();

export const currentVariables = (): Variables => current.getStore() ?? {};

export function withVariables<T>(variables: Variables, work: () => T): T {
  return current.run(variables, work);
}
