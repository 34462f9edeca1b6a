// A turn's token grants one model, at the price of its catalog entry.
import { expect, test } from "vitest";
import {
  type CallFields,
  checkModelCall,
  type DecidingField,
  type ModelGrant,
} from "../../../src/model/rules/grant.ts";

const standard: ModelGrant = { provider: "anthropic", model: "opus", speed: null };
const fast: ModelGrant = { ...standard, speed: "fast" };
const priority: ModelGrant = { provider: "openai", model: "opus", speed: "priority" };

type Asked = Partial<Record<DecidingField, string | number | boolean | null>>;
const findCode = (grant: ModelGrant, asked: Asked, storesByDefault = false) => {
  const fields = new Map(Object.entries({ model: "opus", ...asked })) as CallFields;
  return checkModelCall({ grant, storesByDefault }, fields)?.code ?? null;
};

test.each<[what: string, grant: ModelGrant, asked: Asked, code: string | null]>([
  ["its own model", standard, {}, null],
  ["another model", standard, { model: "opus-4-8" }, "model_not_granted"],
  ["no model", standard, { model: null }, "model_not_granted"],
  ["a stored answer", standard, { store: true }, "option_not_granted"],
  ["a truthy number for an option", standard, { store: 1 }, "option_not_granted"],
  ["a speed that the entry does not say", standard, { speed: "fast" }, "option_not_granted"],
  ["no speed", standard, { speed: null }, null],
  ["a tier that the entry does not say", standard, { service_tier: "priority" }, "option_not_granted"],
  ["a tier that nobody knows", standard, { service_tier: "scale" }, "option_not_granted"],
  ["a tier of the account's own setting", standard, { service_tier: "auto" }, "option_not_granted"],
  ["the entry's own speed", fast, { speed: "fast" }, null],
  ["the standard speed of a fast entry", fast, {}, null],
  ["the entry's own tier", priority, { service_tier: "priority" }, null],
  ["another tier than the entry's", priority, { service_tier: "scale" }, "option_not_granted"],
])("%s", (_, grant, asked, code) => {
  expect(findCode(grant, asked)).toBe(code);
});

test("a call to a provider that stores by default has to disable storage", () => {
  expect(findCode(priority, {}, true)).toBe("option_not_granted");
  expect(findCode(priority, { store: null }, true)).toBe("option_not_granted");
  expect(findCode(priority, { store: false }, true)).toBeNull();
});
