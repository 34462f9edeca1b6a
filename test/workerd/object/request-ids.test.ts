// The request id of what an object logs: during a call, in the effects that the call left, and in
// the objects that those call.
import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { getSandboxObject } from "../../../durable-objects/address.ts";
import { withCarriedRequestId } from "../../../src/lib/carried-request-id.ts";
import { withRequestId } from "../../../src/lib/log.ts";
import { captureLog } from "../support/captured-log.ts";
import { freshSandbox, key, owner, settled } from "../support/sandbox-driver.ts";

afterEach(() => void vi.restoreAllMocks());

const note = (id: string) => ({ type: "note" as const, id, text: id });

test("an effect has the id of the request that caused it, also after a restart and beside others", async () => {
  const log = captureLog();
  const name = crypto.randomUUID();
  // Objects of other files still run, and log what they repeat.
  const failed = () => log.filter(({ event, objectId }) => event === "effect.failed" && objectId === name);
  const requestIds = () => failed().map(({ effect, requestId }) => [effect, requestId]);
  const open = () => env.LEDGER.getByName(name);
  await open().failNext(3);
  await withRequestId("request-1", () => withCarriedRequestId(open()).add(1, [note("one")]));
  await open().settled("one");
  await open().add(1, [note("two")]);
  await open().settled("two");
  expect(requestIds()).toEqual([
    ["note:one", "request-1"],
    ["note:two", undefined],
  ]);
  await abortAllDurableObjects();
  await runDurableObjectAlarm(open());
  await expect.poll(async () => (await open().notes()).filter((text) => !text.startsWith("failed"))).toHaveLength(2);
  const [, , last] = requestIds();
  expect(last).toEqual(last?.[0] === "note:one" ? ["note:one", "request-1"] : ["note:two", undefined]);
});

test("a call of another object carries the id on, and the object's methods do not see it", async () => {
  await freshSandbox();
  const log = captureLog();
  const wake = () => getSandboxObject({ SANDBOX: env.OWN_SANDBOX, JURISDICTION: "" }, key).wakeForPreview(owner);
  expect(await withRequestId("request-2", wake)).toBe("running");
  await settled();
  expect(log.find(({ event }) => event === "sandbox.started")).toMatchObject({
    sandboxKey: key,
    requestId: "request-2",
  });
});
