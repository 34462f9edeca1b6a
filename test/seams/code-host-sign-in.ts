// Sign-in with GitHub, on the practice code host: codes, tokens, the user and the revocation.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PracticeCodeHost, startPracticeCodeHost } from "../../practice/code-host/practice-code-host.ts";
import {
  createAuthorizeUrl,
  exchangeCode,
  readHostUser,
  refreshUserTokens,
  revokeGrant,
  type SignInClient,
  signInClient,
  type UserTokens,
} from "../../src/account/code-host-sign-in.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { startBrowser } from "../support/sign-in-browser.ts";

const oauth = {
  clientId: "tests",
  clientSecret: "secret",
  callbackUrl: "http://service.test/api/auth/github/callback",
};
const settings = { PUBLIC_URL: "http://service.test", CODE_HOST_CLIENT_ID: "tests", CODE_HOST_CLIENT_SECRET: "secret" };

/** Tests the sign-in on the practice code host. */
export function signInContract(): void {
  describe("sign-in at the practice code host", () => {
    let codeHost: PracticeCodeHost;
    let folder: string;
    let client: SignInClient;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "sign-in-test-"));
      codeHost = await startPracticeCodeHost({ folder, token: "code-host-token", oauth });
      const urls = { CODE_HOST_GIT_URL: codeHost.url, CODE_HOST_API_URL: codeHost.url };
      client = granted(signInClient({ ...settings, ...urls }));
    });
    afterAll(async () => {
      await codeHost.close();
      await rm(folder, { recursive: true, force: true });
    });

    async function agree(login: string, verifier = "v"): Promise<string> {
      const browser = startBrowser({ baseUrl: "http://service.test", signInUrl: codeHost.signInUrl });
      const back = await browser.choose(await createAuthorizeUrl(client, "state", verifier), login);
      return new URL(back).searchParams.get("code") ?? "";
    }

    test("a code identifies a user, with an address for their commits", async () => {
      const tokens = granted(await exchangeCode(client, await agree("grace-hopper"), "v"));
      expect(tokens.expiresAt).toBeGreaterThan(Date.now());
      expect(await readHostUser(client, tokens.accessToken)).toEqual({
        id: expect.stringMatching(/^\d+$/),
        login: "grace-hopper",
        name: "Grace Hopper",
        imageUrl: null,
        email: "grace-hopper@practice.example",
        commitEmail: expect.stringMatching(/^\d+\+grace-hopper@users\.noreply\.127\.0\.0\.1/),
      });
    });

    test("a code is valid once, and for its own verifier only", async () => {
      const code = await agree("grace-hopper");
      granted(await exchangeCode(client, code, "v"));
      for (const again of [code, await agree("grace-hopper", "another"), "made-up"])
        expect(await exchangeCode(client, again, "v")).toMatchObject({ code: "BAD_REQUEST" });
    });

    test("tokens are refreshed, and revoked with all others of the grant", async () => {
      const first = granted(await exchangeCode(client, await agree("grace-kelly"), "v"));
      const next = granted(await refreshUserTokens(client, first.refreshToken ?? ""));
      expect(await refreshUserTokens(client, first.refreshToken ?? "")).toMatchObject({ code: "BAD_REQUEST" });
      expect(await revokeGrant(client, next.accessToken)).toBe(true);
      for (const { accessToken } of [first, next])
        expect(await readHostUser(client, accessToken)).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
      expect(await refreshUserTokens(client, next.refreshToken ?? "")).toMatchObject({ code: "BAD_REQUEST" });
      expect(await revokeGrant(client, next.accessToken)).toBe(false);
    });

    test("a missing setting of the service is named", async () => {
      for (const name of ["CODE_HOST_CLIENT_ID", "CODE_HOST_CLIENT_SECRET"] as const) {
        const refusal = signInClient({
          ...settings,
          CODE_HOST_GIT_URL: codeHost.url,
          CODE_HOST_API_URL: codeHost.url,
          [name]: "",
        });
        expect(refusal).toMatchObject({ code: "SERVICE_UNAVAILABLE", message: expect.stringContaining(name) });
      }
      const stranger = { ...client, clientSecret: "wrong" };
      expect(await exchangeCode(stranger, await agree("grace-hopper"), "v")).toMatchObject({
        code: "SERVICE_UNAVAILABLE",
        message: expect.stringContaining("CODE_HOST_CLIENT_SECRET"),
      });
      const nowhere = { ...client, webUrl: "http://127.0.0.1:1", apiUrl: "http://127.0.0.1:1" };
      const answers: (UserTokens | Refusal | object)[] = [
        await exchangeCode(nowhere, "x", "v"),
        await readHostUser(nowhere, "x"),
      ];
      for (const answer of answers) expect(answer).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
      expect(await revokeGrant(nowhere, "x")).toBe(false);
    });
  });
}

function granted<Value>(value: Value | Refusal): Value {
  if (isRefusal(value)) throw new Error(value.message);
  return value;
}
