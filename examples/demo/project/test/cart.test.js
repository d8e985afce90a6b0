import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { discount, shipping, subtotal, total } from "../src/cart.js";

const lines = [
  { price: 250, quantity: 4 },
  { price: 1999, quantity: 1 },
];

describe("cart", () => {
  it("is empty at first", () => assert.equal(subtotal([]), 0));
  it("multiplies price by quantity", () => assert.equal(subtotal(lines), 2999));
  it("takes 10 % off from four of a kind", () => assert.equal(discount(lines), 100));
  it("ships small orders for 5.00", () => assert.equal(shipping(1000), 500));
  it("ships free from 30.00", () => assert.equal(shipping(3000), 0));
  it("adds it all up", () => assert.equal(total(lines), 2999 - 100 + 500));
});
