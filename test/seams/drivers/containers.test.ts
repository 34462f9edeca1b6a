// The driver for Cloudflare Containers, on a double of the platform: the contract of drivers, and the behaviour of the container object.
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { programClient } from "../../../src/sandbox/client.ts";
import { containerDriver } from "../../../src/sandbox/container-driver.ts";
import { newKey, newSecret, sandboxDriverContract } from "./contract.ts";
import { platformContainer } from "./platform-container.ts";

const containerOf = (key: string) => env.CONTAINER.getByName(key);
const lose = (key: string) => runInDurableObject(containerOf(key), () => platformContainer(key).lose());
const driverOf = (key: string) => containerDriver(() => containerOf(key));

sandboxDriverContract("a container", (key) => ({
  driver: driverOf(key),
  shutOut: containerDriver(() => ({
    ...containerOf(key),
    isRunning: () => Promise.reject(new Error("Durable Object is overloaded.")),
  })),
  lose: () => lose(key),
}));

describe("a container object", () => {
  let key: string;
  let secret: string;
  beforeEach(() => {
    key = newKey();
    secret = newSecret();
  });
  afterEach(() => driverOf(key).stop());
  const start = () => driverOf(key).start(secret);
  const platform = () => platformContainer(key);
  const sandbox = () => env.SANDBOX.getByName(key);
  const expire = () => runInDurableObject(containerOf(key), (container) => container.onActivityExpired());

  test("gives the program its secret and nothing else", async () => {
    await start();
    expect(platform().starts).toEqual([{ enableInternet: true, env: { SANDBOX_SECRET: secret } }]);
  });

  test("finds the program of an earlier image where it listens", async () => {
    platform().imagePort = 8080;
    // Its object, of an earlier version too, kept no port.
    await runInDurableObject(containerOf(key), () => platform().start({ env: { SANDBOX_SECRET: secret } }));
    await expect
      .poll(() => programClient(driverOf(key), { secret }).status().catch(String), { timeout: 10_000 })
      .toMatchObject({ ok: true });
  });

  test("retries if no instance is free at first", async () => {
    platform().failures.push("no instance");
    await start();
    expect([platform().starts.length, await driverOf(key).isRunning()]).toEqual([2, true]);
  });

  test("fails a start whose program ends at once, and can start again", async () => {
    platform().failures.push({ exitCode: 1 });
    expect(await start().catch(() => "threw")).toBe("threw");
    expect(await driverOf(key).isRunning()).toBe(false);
    await start();
    expect(await driverOf(key).isRunning()).toBe(true);
  });

  test("keeps its container over its own restart, and has the platform keep it too", async () => {
    await start();
    expect(platform().timeouts).toEqual([3_600_000]);
    await abortAllDurableObjects();
    expect(await programClient(driverOf(key), { secret }).status()).toMatchObject({ ok: true });
    expect([platform().starts.length, platform().timeouts]).toEqual([1, [3_600_000, 3_600_000]]);
  });

  test("has the sandbox object check its state when the container ended unexpectedly", async () => {
    await start();
    expect(await sandbox().looks()).toBe(0);
    await lose(key);
    await expect.poll(() => sandbox().looks(), { timeout: 10_000 }).toBe(1);
  });

  test.each(["creating", "resuming", "running", "pausing"] as const)(
    "does not stop its container, even if unused, while the sandbox is %s",
    async (state) => {
      await start();
      await sandbox().become(state);
      await expire();
      expect([await sandbox().looks(), await driverOf(key).isRunning()]).toEqual([1, true]);
    },
  );

  test.each(["absent", "paused", "gone"] as const)("ends a container whose sandbox is %s", async (state) => {
    await start();
    await sandbox().become(state);
    await expire();
    expect(await driverOf(key).isRunning()).toBe(false);
  });
});
