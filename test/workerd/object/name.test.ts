import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { nameOf } from "../../../durable-objects/object/database.ts";

const state = (id: DurableObjectId) => ({ id }) as DurableObjectState;

test("an object without a name is an error, never the object of the empty name", () => {
  expect(nameOf(state(env.OWN_SANDBOX.idFromName("s0")))).toBe("s0");
  expect(() => nameOf(state(env.OWN_SANDBOX.newUniqueId()))).toThrow("has no name");
});
