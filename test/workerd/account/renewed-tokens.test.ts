// The tokens of a connection to the code host after a renewal. The refresh token works only once,
// so the connection is lost if the next one is not saved.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { signInClient } from "../../../src/account/code-host-sign-in.ts";
import { resealIdentity } from "../../../src/account/connect-code-host.ts";
import { findIdentity, saveIdentity } from "../../../src/account/queries.ts";
import { createUserCredential, readTokens, sealTokens } from "../../../src/account/user-credential.ts";
import type { Env } from "../../../src/env.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { unlimitedEnv } from "../support/unlimited-env.ts";

const settings: Env = { ...unlimitedEnv, CODE_HOST_CLIENT_ID: "client", CODE_HOST_CLIENT_SECRET: "secret" };
let userId: string;

beforeEach(async () => {
  ({
    users: { mia: userId },
  } = await addWorkspaceWith({ mia: "member" }));
  const tokens = { accessToken: "access-1", refreshToken: "refresh-1", expiresAt: 0 };
  const about = { hostUserId: userId, login: userId, name: "Mia", email: "mia@example.com", createdAt: 0 };
  await saveIdentity(env.DB, { ...about, userId, sealed: await sealTokens(settings, userId, tokens), expiresAt: 0 });
});
afterEach(() => vi.restoreAllMocks());

async function readIdentity() {
  const identity = await findIdentity(env.DB, userId);
  if (identity === null) throw new Error("no identity");
  return identity;
}

/** The code host renews the tokens once. `meanwhile` happens before its response arrives. */
function renewWhile(meanwhile: () => Promise<void> | void): void {
  let place = 1;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    if (!String(init?.body).includes(`refresh-${place}`)) return Response.json({ error: "bad_refresh_token" });
    place++;
    await meanwhile();
    return Response.json({ access_token: `access-${place}`, refresh_token: `refresh-${place}`, expires_in: 3_600 });
  });
}

async function getToken(using: Env): Promise<unknown> {
  const client = signInClient(settings);
  if (isRefusal(client)) throw new Error(client.code);
  return await createUserCredential(using, client, await readIdentity())();
}

test("are saved though the used ones were resealed meanwhile", async () => {
  renewWhile(() => resealIdentity(settings, userId));
  expect(await getToken(settings)).toBe("access-2");
  expect(await readTokens(settings, await readIdentity())).toMatchObject({ refreshToken: "refresh-2" });
});

test("are saved though the first write fails", async () => {
  let isBroken = false;
  const prepare = (statement: string) => {
    if (isBroken && statement.startsWith("update")) {
      isBroken = false;
      throw new Error("the database does not respond");
    }
    return env.DB.prepare(statement);
  };
  const database = new Proxy(env.DB, {
    get: (target, name) => (name === "prepare" ? prepare : Reflect.get(target, name)),
  });
  renewWhile(() => {
    isBroken = true;
  });
  expect(await getToken({ ...settings, DB: database })).toBe("access-2");
  expect(isBroken).toBe(false);
  expect(await readTokens(settings, await readIdentity())).toMatchObject({ refreshToken: "refresh-2" });
});

test("do not replace those of a connection that was made meanwhile", async () => {
  const other = { accessToken: "access-9", refreshToken: "refresh-9", expiresAt: null };
  renewWhile(async () => {
    const sealed = await sealTokens(settings, userId, other);
    await saveIdentity(env.DB, { ...(await readIdentity()), sealed });
  });
  expect(await getToken(settings)).toBe("access-2");
  expect(await readTokens(settings, await readIdentity())).toEqual(other);
});
