// A reset of a sandbox object on a scripted host: the services get one restart, whatever dies or
// waits meanwhile.
import { abortAllDurableObjects } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { freshSandbox, host, key, owner, sandbox, settled, until } from "../support/sandbox-driver.ts";
import { programRefusal } from "../support/scripted-host.ts";

beforeEach(freshSandbox);

const told = () => host.count("PUT /services");
const isResetting = async () => (await sandbox().status()).isResetting;

/** A running sandbox whose program takes some time for the next restart. */
async function slowRestart() {
  await sandbox().wakeForPreview(owner);
  const before = told();
  const { promise, resolve } = Promise.withResolvers<Response>();
  host.answerNext("PUT /services", () => promise);
  return { before, done: () => resolve(new Response(null, { status: 204 })) };
}

test("returns immediately, and the services restart afterwards; until then it is reported as running, and another queues nothing", async () => {
  const { before, done } = await slowRestart();
  expect(await sandbox().reset()).toBeNull();
  await until(async () => told()).toBe(before + 1);
  expect([await isResetting(), (await sandbox().layout()).isResetting]).toEqual([true, true]);
  for (let again = 0; again < 5; again++) expect(await sandbox().reset()).toBeNull();
  done();
  await until(isResetting).toBe(false);
  expect((await sandbox().layout()).isResetting).toBe(false);
  await settled();
  expect(told()).toBe(before + 1);
  expect(await sandbox().reset()).toBeNull();
  await until(async () => told()).toBe(before + 2);
});

test("that its object did not finish is finished after a restart", async () => {
  const { before } = await slowRestart();
  await sandbox().reset();
  await until(async () => told()).toBe(before + 1);
  await abortAllDurableObjects();
  await until(isResetting).toBe(false);
  await settled();
  expect(told()).toBe(before + 2);
});

test("that the program refuses ends too, and can be requested again", async () => {
  await sandbox().wakeForPreview(owner);
  host.answerNext("PUT /services", programRefusal("INTERNAL", "no"));
  await sandbox().reset();
  await settled();
  expect(await isResetting()).toBe(false);
  expect(await sandbox().reset()).toBeNull();
});

test("of a sandbox that is missing or stopped unnoticed is refused and wakes nothing", async () => {
  const refused = { code: "BAD_REQUEST" };
  expect(await sandbox().reset()).toMatchObject(refused);
  await sandbox().wakeForPreview(owner);
  host.lose(key);
  expect(await sandbox().reset()).toMatchObject(refused);
  expect(host.count(`start ${key}`)).toBe(1);
});
