// The service as a GitHub App: its JWT, all forms of its key, and tokens that are requested once
// and before they expire.
import { generateKeyPairSync, verify } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { createAppJwt, issueInstallationToken, readInstallation } from "../../src/code-host/github/app.ts";
import { createTokenCache, type IssuedToken } from "../../src/lib/cached-token.ts";
import { readPrivateKey } from "../../src/lib/jwt.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";

const [key, longer] = [2_048, 4_096].map((modulusLength) => generateKeyPairSync("rsa", { modulusLength }).privateKey);
const inForm = (type: "pkcs1" | "pkcs8", from = key) => from?.export({ type, format: "pem" }).toString() ?? "";
const now = Date.UTC(2026, 0, 1);

describe("the app's JWT", () => {
  test.each([
    ["as GitHub hands it out", inForm("pkcs1")],
    ["as PKCS #8", inForm("pkcs8")],
    ["on one line, as settings are often kept", inForm("pkcs1").replaceAll("\n", "\\n")],
    ["with the line ends of Windows", inForm("pkcs1").replaceAll("\n", "\r\n")],
    ["of 4,096 bits", inForm("pkcs1", longer)],
  ])("is signed by its key, %s", async (_, pem) => {
    const [head = "", claims = "", signature = ""] = (await createAppJwt("1001", pem, now)).split(".");
    const signed = Buffer.from(`${head}.${claims}`);
    const isSigned = verify("RSA-SHA256", signed, pem.replaceAll("\\n", "\n"), Buffer.from(signature, "base64url"));
    expect(isSigned).toBe(true);
    expect(JSON.parse(atob(head))).toEqual({ alg: "RS256", typ: "JWT" });
    expect(JSON.parse(atob(claims))).toEqual({ iss: "1001", iat: now / 1_000 - 60, exp: now / 1_000 + 540 });
  });

  test.each(["", "nonsense", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----"])(
    "needs a key: %j is refused without a request",
    async (pem) => {
      expect(await readPrivateKey(pem, "RS256").catch(() => "refused")).toBe("refused");
      const settings = { apiUrl: "http://127.0.0.1:1", appId: "1001", privateKey: pem };
      expect(
        await issueInstallationToken(settings, { repository: "acme/board", installationId: null, repositoryId: null }),
      ).toMatchObject({
        code: "SERVICE_UNAVAILABLE",
        message: expect.stringContaining("CODE_HOST_APP_PRIVATE_KEY"),
      });
    },
  );
});

describe("the installation of a repository", () => {
  test("is found by its id, and NOT_FOUND if the app is not installed", async () => {
    const asked: (string | undefined)[] = [];
    const host = createServer(({ url, headers }, answer) => {
      asked.push(headers.authorization?.split(" ")[0]);
      const isKnown = url === "/repos/acme/board/installation";
      answer.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
      answer.end(isKnown ? '{"id":7,"permissions":{},"events":[]}' : "{}");
    });
    await new Promise<void>((done) => host.listen(0, "127.0.0.1", done));
    const { port } = host.address() as AddressInfo;
    const settings = { apiUrl: `http://127.0.0.1:${port}`, appId: "1001", privateKey: inForm("pkcs1") };
    expect(await readInstallation(settings, "acme/board")).toEqual({ id: 7, permissions: {}, events: [] });
    expect(await readInstallation(settings, "acme/other")).toMatchObject({ code: "NOT_FOUND" });
    expect(await readInstallation(settings, "../user")).toMatchObject({ code: "BAD_REQUEST" });
    expect(asked).toEqual(["Bearer", "Bearer"]);
    host.close();
  });
});

test("a repository that was transferred is reached by the app's installation of its new owner", async () => {
  const host = createServer(({ url }, answer) => {
    const installation = url === "/repos/acme/board/installation" && { id: 8 };
    const repositories = [{ id: 5, full_name: "umbrella/board" }];
    const token = url === "/app/installations/8/access_tokens" && {
      token: "t",
      expires_at: "2026-01-01",
      repositories,
    };
    const body = installation || token;
    answer.writeHead(body ? 200 : 422, { "content-type": "application/json" });
    answer.end(JSON.stringify(body || { message: "There is at least one repository that is not accessible." }));
  });
  await new Promise<void>((done) => host.listen(0, "127.0.0.1", done));
  const { port } = host.address() as AddressInfo;
  const settings = { apiUrl: `http://127.0.0.1:${port}`, appId: "1001", privateKey: inForm("pkcs1") };
  const before = { repository: "acme/board", installationId: 7, repositoryId: 5 };
  const opens = { repository: "umbrella/board", installationId: 8, repositoryId: 5 };
  expect(await issueInstallationToken(settings, before)).toMatchObject({ token: "t", opens });
  host.close();
});

/** A source of tokens `t1`, `t2`, … that are valid for an hour each, on a fake clock. */
function openSource() {
  const source = {
    at: now,
    issued: 0,
    kept: null as IssuedToken | null,
    next: null as Refusal | null,
    now: () => source.at,
    marginMs: 5 * 60_000,
    load: async () => source.kept,
    store: async (token: IssuedToken) => {
      source.kept = token;
    },
    async issue() {
      const refusal = source.next;
      source.next = null;
      await new Promise((done) => setTimeout(done, 5));
      if (refusal) return refusal;
      source.issued += 1;
      return { token: `t${source.issued}`, expiresAt: source.at + 3_600_000 };
    },
  };
  return source;
}

describe("a token", () => {
  test("is requested once for all callers, and then returned again", async () => {
    const source = openSource();
    const token = createTokenCache(source);
    expect(await Promise.all(Array.from({ length: 20 }, () => token()))).toEqual(Array(20).fill("t1"));
    source.at += 54 * 60_000;
    expect(await token()).toBe("t1");
  });

  test("is replaced minutes before its expiry, with one request", async () => {
    const source = openSource();
    const token = createTokenCache(source);
    await token();
    source.at += 56 * 60_000;
    expect(await Promise.all(Array.from({ length: 20 }, () => token()))).toEqual(Array(20).fill("t2"));
    source.at += 61 * 60_000;
    expect(await token()).toBe("t3");
  });

  test("that the code host refuses is replaced once, for all callers that have it", async () => {
    const source = openSource();
    const token = createTokenCache(source);
    await token();
    expect(await Promise.all(Array.from({ length: 20 }, () => token("t1")))).toEqual(Array(20).fill("t2"));
    expect(await token("t1")).toBe("t2");
    expect(await token()).toBe("t2");
    expect(source.issued).toBe(2);
  });

  test("survives an eviction, unless it has expired", async () => {
    const source = openSource();
    await createTokenCache(source)();
    expect(await createTokenCache(source)()).toBe("t1");
    source.at += 61 * 60_000;
    expect(await createTokenCache(source)()).toBe("t2");
  });

  test("that could not be issued is requested again by the next caller", async () => {
    const source = openSource();
    source.next = refuse("SERVICE_UNAVAILABLE");
    const token = createTokenCache(source);
    const refused = await Promise.all([token(), token()]);
    expect(refused.every(isRefusal)).toBe(true);
    expect(await token()).toBe("t1");
  });
});
