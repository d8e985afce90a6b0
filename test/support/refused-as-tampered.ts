// Something that a store must refuse because its record was changed; what it says.
import { expect } from "vitest";
import { TamperedError } from "#spec/errors";

export async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(TamperedError);
  return (error as Error).message;
}
