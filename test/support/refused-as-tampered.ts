// Expects a TamperedError from the store and returns its message.
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
