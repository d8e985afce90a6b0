import { expect, test } from "vitest";
import { baseName } from "../../../dashboard/src/base-name.ts";

test("takes the last part of a path", () => {
  expect(["/a/shop", "/a/shop/", "/", "C:\\work\\shop"].map(baseName)).toEqual(["shop", "shop", "/", "shop"]);
});
