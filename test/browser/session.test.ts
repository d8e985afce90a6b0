import { expect, it } from "vitest";
import { sandbox } from "../support/sandbox.ts";
import { serving } from "../support/serving.ts";
import { visit } from "../support/visit.ts";

it("signs in once by the link, and tells other visitors how to sign in", async () => {
  const { link, url } = await serving(sandbox());
  const { page } = await visit(link);
  await page.getByRole("heading", { name: "No runs yet" }).waitFor();
  expect(page.url()).toBe(`${url}/#/`);
  await page.reload();
  await page.getByRole("heading", { name: "No runs yet" }).waitFor();

  const { page: second } = await visit(link);
  await second.getByRole("heading", { name: "You are not signed in" }).waitFor();
  await second.getByText("converge serve prints a link that signs you in").waitFor();
  expect(await second.context().cookies()).toEqual([]);
  await second.getByLabel("Link or key").fill(link);
  await second.getByRole("button", { name: "Sign in" }).click();
  await second.getByRole("alert").waitFor();
});

it("accepts an unused link in the sign-in field", async () => {
  const { link, url } = await serving(sandbox());
  const { page } = await visit(url);
  await page.getByLabel("Link or key").fill(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "No runs yet" }).waitFor();
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
});

it("leads from an empty list to the start of a run", async () => {
  const { link } = await serving(sandbox());
  const { page } = await visit(link);
  await page.getByRole("link", { name: "start one from a task file" }).click();
  await page.getByRole("heading", { name: "Start a run" }).waitFor();
});
