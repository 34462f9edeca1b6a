// The driver for Cloudflare Containers, on a double of the platform: the contract of drivers, and
// the behaviour of the container object.
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type NetworkInForce, openInForce } from "../../../src/network/rules/network.ts";
import { createProgramClient } from "../../../src/sandbox/program/client.ts";
import { createContainerDriver } from "../../../src/sandbox/program/container-driver.ts";
import { SandboxBroke, type SandboxDriver } from "../../../src/sandbox/program/driver.ts";
import { connectTerminal } from "../../../src/terminal/start.ts";
import { newKey, newSecret, sandboxDriverContract } from "./contract.ts";
import { platformContainer } from "./platform-container.ts";

const getContainer = (key: string) => env.CONTAINER.getByName(key);
const listed: NetworkInForce = { mode: "hosts", hosts: ["example.com"], strict: false };
const lose = (key: string) => runInDurableObject(getContainer(key), () => platformContainer(key).lose());
const createDriver = (key: string) => createContainerDriver(() => getContainer(key));

sandboxDriverContract("a container", (key) => ({
  driver: createDriver(key),
  shutOut: createContainerDriver(() => ({
    ...getContainer(key),
    isRunning: () => Promise.reject(new Error("Durable Object is overloaded.")),
  })),
  lose: () => lose(key),
}));

describe("a container object that is reset meanwhile", () => {
  const reset = { retryable: true };
  /**
   * How often a call reaches its object, which fails like this at first, and whether it came
   * through.
   */
  async function tries(call: (driver: SandboxDriver) => Promise<unknown>, failures: object[]) {
    let stubs = 0;
    const driver = createContainerDriver(() => {
      const failure = failures[stubs++];
      const answer = async <Value>(value: Value) => {
        if (failure) throw Object.assign(new Error("the object was reset"), failure);
        return value;
      };
      return {
        startProgram: () => answer(undefined),
        endProgram: () => answer(undefined),
        isRunning: () => answer(true),
        findNetwork: () => answer(null),
        fetch: () => answer(new Response()),
      };
    });
    const cameThrough = await call(driver).then(
      () => true,
      () => false,
    );
    return [stubs, cameThrough];
  }
  const send = (method: string) => (driver: SandboxDriver) => driver.fetch(new Request("http://program/", { method }));

  test.each<[string, (driver: SandboxDriver) => Promise<unknown>]>([
    ["whether it runs", (driver) => driver.isRunning()],
    ["its network", (driver) => driver.findNetwork()],
    ["a read of its program", send("GET")],
    ["a stop", (driver) => driver.stop()],
  ])("is asked once more: %s", async (_, call) => {
    expect(await tries(call, [reset])).toEqual([2, true]);
    expect(await tries(call, [reset, reset])).toEqual([2, false]);
    expect(await tries(call, [{ retryable: true, overloaded: true }])).toEqual([1, false]);
    expect(await tries(call, [{}])).toEqual([1, false]);
  });

  test.each<[string, (driver: SandboxDriver) => Promise<unknown>]>([
    ["a start", (driver) => driver.start("a secret", openInForce)],
    ["a write of its program", send("POST")],
  ])("is not asked again: %s", async (_, call) => {
    expect(await tries(call, [reset])).toEqual([1, false]);
  });
});

describe("a container object", () => {
  let key: string;
  let secret: string;
  beforeEach(() => {
    key = newKey();
    secret = newSecret();
  });
  afterEach(() => createDriver(key).stop());
  const start = () => createDriver(key).start(secret, openInForce);
  const platform = () => platformContainer(key);
  const sandbox = () => env.SANDBOX.getByName(key);
  const expire = () => runInDurableObject(getContainer(key), (container) => container.alarm());
  const kept = () =>
    runInDurableObject(getContainer(key), async (_, { storage }) => ({
      values: (await storage.list()).size,
      tables: [...storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'container%'")].length,
      alarm: (await storage.getAlarm()) !== null,
    }));
  const nothing = { values: 0, tables: 0, alarm: false };
  const loseAlarm = () => runInDurableObject(getContainer(key), (_, { storage }) => storage.deleteAlarm());

  test("gives the program its secret and nothing else", async () => {
    await start();
    expect(platform().starts).toEqual([{ enableInternet: true, env: { SANDBOX_SECRET: secret } }]);
  });

  test("finds the program of an earlier image where it listens", async () => {
    platform().imagePort = 8080;
    await runInDurableObject(getContainer(key), async (_, { storage }) => {
      storage.kv.put("programPort", 8080);
      platform().start({ env: { SANDBOX_SECRET: secret } });
    });
    await expect
      .poll(() => createProgramClient(createDriver(key), { secret }).status().catch(String))
      .toMatchObject({ ok: true });
  });

  test.each(["no instance", "too many", "not begun", "forgotten"] as const)(
    "asks the platform again that answers: %s",
    async (refusal) => {
      platform().failures.push(refusal);
      await start();
      expect([platform().starts.length, await createDriver(key).isRunning()]).toEqual([2, true]);
    },
  );

  test("keeps two values and an alarm while its container runs, and nothing after its end", async () => {
    await start();
    expect(await kept()).toEqual({ values: 2, tables: 0, alarm: true });
    await createDriver(key).stop();
    expect(await kept()).toEqual(nothing);
    platform().failures.push({ exitCode: 1 });
    await start().catch(() => undefined);
    expect(await kept()).toEqual(nothing);
  });

  test("keeps nothing of a container that was lost, once it looks again", async () => {
    await start();
    await lose(key);
    await expect.poll(() => createDriver(key).isRunning()).toBe(false);
    await expire();
    expect(await kept()).toEqual(nothing);
  });

  test("starts beside what the class of earlier deployments kept, and leaves nothing of it", async () => {
    await runInDurableObject(getContainer(key), async (_, { storage }) => {
      storage.sql.exec("CREATE TABLE container_schedules (id TEXT PRIMARY KEY, callback TEXT, time INTEGER)");
      await storage.put("__CF_CONTAINER_STATE", { status: "stopped", lastChange: 1 });
      await storage.setAlarm(Date.now() + 3_600_000);
    });
    await start();
    expect(await createProgramClient(createDriver(key), { secret }).status()).toMatchObject({ ok: true });
    await createDriver(key).stop();
    expect(await kept()).toEqual(nothing);
  });

  test("sets a lost alarm again when it is asked whether its container runs", async () => {
    await start();
    await loseAlarm();
    expect((await kept()).alarm).toBe(false);
    await createDriver(key).isRunning();
    expect((await kept()).alarm).toBe(true);
  });

  test("sets a lost alarm again at the first request after its own restart", async () => {
    await start();
    await loseAlarm();
    await abortAllDurableObjects();
    await createProgramClient(createDriver(key), { secret }).status();
    expect((await kept()).alarm).toBe(true);
  });

  test("fails a start whose program ends immediately, and can start again", async () => {
    platform().failures.push({ exitCode: 1 });
    expect(await start().catch(() => "threw")).toBe("threw");
    expect(await createDriver(key).isRunning()).toBe(false);
    await start();
    expect(await createDriver(key).isRunning()).toBe(true);
  });

  test("keeps its container over its own restart, and has the platform keep it too", async () => {
    await start();
    expect(platform().timeouts).toEqual([3_600_000]);
    await abortAllDurableObjects();
    expect(await createProgramClient(createDriver(key), { secret }).status()).toMatchObject({ ok: true });
    expect([platform().starts.length, platform().timeouts]).toEqual([1, [3_600_000, 3_600_000]]);
  });

  test("waits for nothing while its container runs, so that it can sleep", async () => {
    await start();
    await createProgramClient(createDriver(key), { secret }).status();
    await abortAllDurableObjects();
    await createProgramClient(createDriver(key), { secret }).status();
    await expire();
    expect(platform().waiting).toBe(0);
  });

  test("has the requests for the service caught before its container starts, and again after its own restart", async () => {
    await start();
    expect(platform().caught).toEqual(["http service.internal"]);
    await abortAllDurableObjects();
    await createProgramClient(createDriver(key), { secret }).status();
    expect(platform().caught).toEqual(["http service.internal", "http service.internal"]);
  });

  test.each<[NetworkInForce, string[]]>([
    [{ ...openInForce, mode: "closed" }, ["http service.internal"]],
    [listed, ["http service.internal", "all http", "https *"]],
    [{ ...listed, strict: true }, ["http service.internal", "http example.com", "https example.com"]],
  ])("has its requests caught as its network says, and gives it no internet: %j", async (network, caught) => {
    await createDriver(key).start(secret, network);
    expect(platform().caught).toEqual(caught);
    expect(platform().starts).toMatchObject([{ enableInternet: false, env: { SANDBOX_NETWORK: network.mode } }]);
    expect(await createDriver(key).findNetwork()).toEqual({ network, seen: [] });
    await createDriver(key).stop();
    expect(await createDriver(key).findNetwork()).toBeNull();
  });

  test("starts nothing with a network that nothing here holds", async () => {
    await runInDurableObject(getContainer(key), (container) => {
      Object.assign(container, { env: { ...env, SANDBOX_NETWORKS: "" } });
    });
    await expect(createDriver(key).start(secret, listed)).rejects.toThrow("Nothing here enforces");
    expect(platform().starts).toEqual([]);
    await start();
    expect(await createDriver(key).isRunning()).toBe(true);
  });

  test("has no memory of the hosts that an ended container asked for", async () => {
    const seen = { host: "example.com", port: 443, isAllowed: true, count: 2 };
    await start();
    await getContainer(key).recordSeen(seen);
    await getContainer(key).recordSeen({ ...seen, count: 3 });
    await getContainer(key).recordSeen({ ...seen, host: "example.org", isAllowed: false });
    expect((await createDriver(key).findNetwork())?.seen).toEqual([
      { ...seen, count: 5 },
      { ...seen, host: "example.org", isAllowed: false },
    ]);
    await createDriver(key).stop();
    await getContainer(key).recordSeen(seen);
    expect(await kept()).toEqual(nothing);
  });

  test("fails a start whose requests are not caught, and forwards nothing to such a container", async () => {
    platform().refusesToCatch = 1;
    expect(await start().catch(() => "threw")).toBe("threw");
    expect([platform().starts.length, await createDriver(key).isRunning()]).toEqual([0, false]);
    await start();
    await abortAllDurableObjects();
    platform().refusesToCatch = 1;
    const call = () => createProgramClient(createDriver(key), { secret }).status();
    // A sandbox that is unreachable counts as lost. This one runs.
    await expect(call()).rejects.toBeInstanceOf(SandboxBroke);
    expect(await call()).toMatchObject({ ok: true });
    await abortAllDurableObjects();
    platform().refusesToCatch = 1;
    await expect(connectTerminal(createDriver(key), { secret, bootId: "b1" })).rejects.toBeInstanceOf(SandboxBroke);
  });

  test("has the sandbox object check its state, at its alarm, when the container ended unexpectedly", async () => {
    await start();
    await lose(key);
    await expect.poll(() => createDriver(key).isRunning()).toBe(false);
    expect(await sandbox().looks()).toBe(0);
    await expire();
    expect(await sandbox().looks()).toBe(1);
  });

  test("looks again later where the sandbox object cannot be asked", async () => {
    await start();
    await sandbox().become("out of order");
    await loseAlarm();
    await expire();
    expect([(await kept()).alarm, await createDriver(key).isRunning()]).toEqual([true, true]);
  });

  test.each(["creating", "resuming", "running", "pausing"] as const)(
    "does not stop its container, even if unused, while the sandbox is %s",
    async (state) => {
      await start();
      await sandbox().become(state);
      await expire();
      expect([await sandbox().looks(), await createDriver(key).isRunning()]).toEqual([1, true]);
    },
  );

  test.each(["absent", "paused", "gone"] as const)("ends a container whose sandbox is %s", async (state) => {
    await start();
    await sandbox().become(state);
    await expire();
    expect(await createDriver(key).isRunning()).toBe(false);
  });

  test("ends a container of a generation that the sandbox has left, and keeps the one that it has", async () => {
    const [before, present] = [`${key}-1`, `${key}-2`];
    await Promise.all([
      createDriver(before).start(newSecret(), openInForce),
      createDriver(present).start(secret, openInForce),
    ]);
    await sandbox().keepsContainer(2);
    for (const name of [before, present])
      await runInDurableObject(getContainer(name), (container) => container.alarm());
    expect([await createDriver(before).isRunning(), await createDriver(present).isRunning()]).toEqual([false, true]);
    await createDriver(present).stop();
  });
});
