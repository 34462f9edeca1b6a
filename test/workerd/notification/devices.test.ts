// Devices in the database: a token and a watch have one holder, whatever happens concurrently.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { issueBrowserSession } from "../../../src/key/queries/browser-sessions.ts";
import { deleteDevice, saveDevice } from "../../../src/notification/queries/devices.ts";
import { pushDeviceRoutes } from "../../../src/notification/routes.ts";
import { pushDevicesMax } from "../../../src/notification/rules/device.ts";
import { addUser } from "../support/people.ts";

let mia: string;
let ada: string;
beforeEach(async () => {
  [mia, ada] = await Promise.all([addUser("mia"), addUser("ada")]);
});

const newToken = () => crypto.randomUUID().replaceAll("-", "");
const phone = { bundleId: "com.example.app", environment: "sandbox", platform: "ios", installation: null } as const;
const watch = (id: string, generation: number) => ({
  ...phone,
  platform: "watchos" as const,
  installation: { id, generation },
});

interface Row {
  token: string;
  user_id: string;
  generation: number | null;
}
async function held(where: "user_id" | "installation_id" | "token", value: string): Promise<Row[]> {
  const found = env.DB.prepare(
    `SELECT token, user_id, generation FROM push_devices WHERE ${where} = ?1 ORDER BY token`,
  );
  return (await found.bind(value).all<Row>()).results;
}

describe("a token", () => {
  test("moves to the user who registers it last", async () => {
    const token = newToken();
    for (const user of [mia, ada, mia, mia]) expect(await saveDevice(env.DB, user, { ...phone, token }, 0)).toBe(true);
    expect(await held("token", token)).toEqual([{ token, user_id: mia, generation: null }]);
  });

  test("that a hundred users register concurrently has one holder", async () => {
    const token = newToken();
    const users = await Promise.all(Array.from({ length: 10 }, () => addUser("x")));
    const register = (_: unknown, place: number) =>
      saveDevice(env.DB, users[place % 10] ?? "", { ...phone, token }, place);
    expect(await Promise.all(Array.from({ length: 100 }, register))).toEqual(Array(100).fill(true));
    expect(await held("token", token)).toHaveLength(1);
  });

  test("is deleted only by its holder", async () => {
    const token = newToken();
    await saveDevice(env.DB, mia, { ...phone, token }, 0);
    await deleteDevice(env.DB, ada, token);
    expect(await held("token", token)).toHaveLength(1);
    await deleteDevice(env.DB, mia, token);
    expect(await held("token", token)).toEqual([]);
  });
});

describe("a watch", () => {
  test("has its newest token, and no generation below the one that its user holds", async () => {
    const [id, first, second] = [crypto.randomUUID(), newToken(), newToken()];
    const register = (user: string, token: string, generation: number) =>
      saveDevice(env.DB, user, { ...watch(id, generation), token }, 0);
    expect(await register(mia, first, 5)).toBe(true);
    expect(await register(mia, first, 5)).toBe(true);
    expect(await register(mia, first, 4)).toBe(false);
    expect(await register(mia, second, 6)).toBe(true);
    expect(await held("installation_id", id)).toEqual([{ token: second, user_id: mia, generation: 6 }]);
    expect(await held("token", first)).toEqual([]);
  });

  test("of one user is not replaced or refused by what another sends as its installation", async () => {
    const [id, mine, theirs] = [crypto.randomUUID(), newToken(), newToken()];
    const register = (user: string, token: string, generation: number) =>
      saveDevice(env.DB, user, { ...watch(id, generation), token }, 0);
    expect(await register(mia, mine, 5)).toBe(true);
    expect(await register(ada, theirs, 999)).toBe(true);
    expect(await register(mia, mine, 6)).toBe(true);
    expect(await held("token", mine)).toEqual([{ token: mine, user_id: mia, generation: 6 }]);
    expect(await held("token", theirs)).toEqual([{ token: theirs, user_id: ada, generation: 999 }]);
  });

  test("that takes over another device's token keeps no second row", async () => {
    const [id, other, mine, theirs] = [crypto.randomUUID(), crypto.randomUUID(), newToken(), newToken()];
    await saveDevice(env.DB, mia, { ...watch(id, 1), token: mine }, 0);
    await saveDevice(env.DB, ada, { ...watch(other, 9), token: theirs }, 0);
    expect(await saveDevice(env.DB, mia, { ...watch(id, 2), token: theirs }, 0)).toBe(true);
    expect(await held("installation_id", id)).toEqual([{ token: theirs, user_id: mia, generation: 2 }]);
    expect(await held("installation_id", other)).toEqual([]);
    expect(await held("token", mine)).toEqual([]);
  });

  test("is not taken by an older generation of another user, who has its token", async () => {
    const [id, token] = [crypto.randomUUID(), newToken()];
    const register = (user: string, generation: number) =>
      saveDevice(env.DB, user, { ...watch(id, generation), token }, 0);
    expect(await register(mia, 9)).toBe(true);
    expect(await register(ada, 3)).toBe(false);
    expect(await held("token", token)).toEqual([{ token, user_id: mia, generation: 9 }]);
    expect(await register(ada, 10)).toBe(true);
    expect(await held("token", token)).toEqual([{ token, user_id: ada, generation: 10 }]);
  });

  test("of a hundred concurrent generations has the highest", async () => {
    const id = crypto.randomUUID();
    const generations = Array.from({ length: 100 }, (_, place) => (place * 37) % 100);
    const taken = await Promise.all(
      generations.map((generation) => saveDevice(env.DB, mia, { ...watch(id, generation), token: newToken() }, 0)),
    );
    expect(taken[generations.indexOf(99)]).toBe(true);
    expect(await held("installation_id", id)).toMatchObject([{ user_id: mia, generation: 99 }]);
  });
});

test("the devices of a person make room for newer ones", async () => {
  const rows = Array.from({ length: pushDevicesMax }, () => newToken());
  await env.DB.prepare(
    `INSERT INTO push_devices (token, user_id, bundle_id, environment, platform, registration_id, registered_at)
     SELECT value, ?2, 'a', 'sandbox', 'ios', value, key FROM json_each(?1)`,
  )
    .bind(JSON.stringify(rows), mia)
    .run();
  const newest = newToken();
  await saveDevice(env.DB, mia, { ...phone, token: newest }, pushDevicesMax);
  const left = (await held("user_id", mia)).map(({ token }) => token);
  expect(left.sort()).toEqual([...rows.slice(1), newest].sort());
});

test("a service without a key of Web Push registers no browser, and says what is missing", async () => {
  const cookie = `svc_session=${await issueBrowserSession(env.DB, mia, Date.now())}`;
  const subscription = {
    endpoint: "https://push.example.com/send/1a2b",
    keys: {
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    },
  };
  const limits = Object.fromEntries(
    ["KEY_REQUESTS", "USER_REQUESTS"].map((name) => [name, { limit: async () => ({ success: true }) }]),
  );
  const register = (changes: Partial<Env>) => {
    const request = new Request(`${env.PUBLIC_URL}/api/push/devices`, {
      method: "POST",
      headers: { cookie, origin: new URL(env.PUBLIC_URL).origin },
      body: JSON.stringify({ platform: "web", subscription, label: "Firefox" }),
    });
    const route = pushDeviceRoutes.find(({ method }) => method === "POST");
    return route?.serve(request, { ...env, ...limits, ...changes } as unknown as Env, {});
  };
  expect(await register({})).toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    message: expect.stringContaining("WEB_PUSH_PRIVATE_KEY"),
  });
  const key = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw";
  expect(await register({ WEB_PUSH_PRIVATE_KEY: key })).toMatchObject({ status: 204 });
});
