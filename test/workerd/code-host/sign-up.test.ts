// Who may sign up, at a sign-in: a person who may not gets no user, and existing users always sign
// in.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectCodeHost } from "../../../src/account/connect-code-host.ts";
import { findUserByEmail, findUserByLogin } from "../../../src/account/queries.ts";
import type { Env } from "../../../src/env.ts";

let login: string;
beforeEach(() => {
  login = `ada-${crypto.randomUUID()}`;
});
afterEach(() => void vi.restoreAllMocks());

const host = {
  CODE_HOST_GIT_URL: "https://host.test",
  CODE_HOST_API_URL: "https://api.host.test",
  CODE_HOST_CLIENT_ID: "id",
  CODE_HOST_CLIENT_SECRET: "secret",
  PUBLIC_URL: "https://service.test",
};

async function signIn(setting: string | undefined, name = login): Promise<unknown> {
  const hostUser = {
    id: name,
    login: name,
    name,
    imageUrl: null,
    email: `${name}@example.com`,
    commitEmail: `${name}@users.noreply.host.test`,
  };
  const tokens = { accessToken: "token", refreshToken: null, expiresAt: null };
  return await connectCodeHost(
    { ...env, ...host, SIGN_UP: setting } as unknown as Env,
    { hostUser, tokens, signedInAs: null },
    Date.now(),
  );
}

const isUser = async () =>
  (await findUserByLogin(env.DB, login)) !== null || (await findUserByEmail(env.DB, `${login}@example.com`)) !== null;

test.each<[string, (own: string) => string | undefined, boolean]>([
  ["without the setting", () => undefined, true],
  ["open to everybody", () => "*", true],
  ["listed by login", (own) => `grace, ${own.toUpperCase()}`, true],
  ["not listed", () => "grace", false],
  ["with nobody listed", () => "", false],
])("%s: a first sign-in creates a user or is refused", async (_, setting, may) => {
  const outcome = await signIn(setting(login));
  if (may) expect(outcome).toEqual(expect.stringMatching(/^usr_/));
  else
    expect(outcome).toMatchObject({ code: "FORBIDDEN", message: expect.stringContaining(`${login} may not sign up`) });
  expect(await isUser()).toBe(may);
});

test("an existing user signs in, whatever the setting says", async () => {
  const first = await signIn("*");
  expect(await signIn("")).toBe(first);
});

test("the address of an open invitation may sign up, that of an expired one may not", async () => {
  const invite = (expiresAt: number) =>
    env.DB.prepare(
      "INSERT INTO invitations (id, workspace_id, email, role, created_at, expires_at) VALUES (?1, ?1, ?2, 'member', 0, ?3)",
    )
      .bind(crypto.randomUUID(), `${login}@example.com`, expiresAt)
      .run();
  await invite(1);
  expect(await signIn("")).toMatchObject({ code: "FORBIDDEN" });
  await invite(Date.now() + 60_000);
  expect(await signIn("")).toEqual(expect.stringMatching(/^usr_/));
});

test.each<[string, number, unknown, object | RegExp]>([
  ["of a listed organisation", 200, [{ login: "Acme" }], /^usr_/],
  ["of another one", 200, [{ login: "acme-labs" }], { code: "FORBIDDEN" }],
  ["whom the code host tells nothing about", 404, {}, { code: "FORBIDDEN" }],
])("a member %s", async (_, status, body, expected) => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    expect(String(input instanceof Request ? input.url : input)).toBe("https://api.host.test/user/orgs?per_page=100");
    return Response.json(body, { status });
  });
  const outcome = await signIn("org:acme");
  if (expected instanceof RegExp) expect(outcome).toEqual(expect.stringMatching(expected));
  else expect(outcome).toMatchObject(expected);
});
