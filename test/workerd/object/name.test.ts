import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { getObjectName } from "../../../durable-objects/object/database.ts";

const state = (id: DurableObjectId) => ({ id }) as DurableObjectState;

test("an object without a name is an error, never the object of the empty name", () => {
  expect(getObjectName(state(env.OWN_SANDBOX.idFromName("s0")))).toBe("s0");
  expect(() => getObjectName(state(env.OWN_SANDBOX.newUniqueId()))).toThrow("has no name");
});
