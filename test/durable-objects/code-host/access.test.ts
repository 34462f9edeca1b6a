// The code host access object: one token for a repository, whoever asks and however often the object is put to sleep.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { codeHostAccessObject } from "../../../durable-objects/address.ts";

let issued = 0;
let repository: string;
const asked: string[] = [];
const access = () => codeHostAccessObject(env, repository);

/** The other tests know no app: it is set up in the object's own settings. */
async function setUpApp(): Promise<void> {
  const keys = await crypto.subtle.generateKey(
    { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ["sign", "verify"],
  );
  const der = (await crypto.subtle.exportKey("pkcs8", (keys as CryptoKeyPair).privateKey)) as ArrayBuffer;
  const text = btoa(String.fromCharCode(...new Uint8Array(der)));
  const pem = `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----`;
  await runInDurableObject(access(), (object) => {
    const { env: settings } = object as unknown as { env: object };
    Object.assign(settings, { CODE_HOST_APP_ID: "1001", CODE_HOST_APP_PRIVATE_KEY: pem });
  });
}

beforeEach(async () => {
  issued = 0;
  asked.length = 0;
  repository = `acme/${crypto.randomUUID()}`;
  await setUpApp();
  const outside = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    if (!request.url.startsWith("http://code-host.test/")) return await outside(request);
    asked.push(`${request.method} ${new URL(request.url).pathname}`);
    await scheduler.wait(10);
    if (request.url.endsWith("/installation")) return Response.json({ id: 7 });
    issued += 1;
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    return Response.json({ token: `ghs_${issued}`, expires_at }, { status: 201 });
  });
});
afterEach(() => vi.restoreAllMocks());

test("twenty who need a token at once share one, also after the object was put to sleep", async () => {
  const tokens = await Promise.all(Array.from({ length: 20 }, () => access().token(repository)));
  expect(tokens).toEqual(Array(20).fill("ghs_1"));
  await evictDurableObject(access());
  expect(await access().token(repository)).toBe("ghs_1");
  expect(asked).toEqual([`GET /repos/${repository}/installation`, "POST /app/installations/7/access_tokens"]);
});

test("a token that the code host refuses is not handed out again", async () => {
  await access().token(repository);
  const renewed = await Promise.all(Array.from({ length: 20 }, () => access().token(repository, "ghs_1")));
  expect(renewed).toEqual(Array(20).fill("ghs_2"));
  await evictDurableObject(access());
  expect(await access().token(repository, "ghs_1")).toBe("ghs_2");
});

test("a token rests sealed", async () => {
  await access().token(repository);
  const kept = await runInDurableObject(access(), (_, state) => [...state.storage.kv.list()]);
  expect(kept).toHaveLength(1);
  expect(JSON.stringify(kept)).not.toContain("ghs_");
});
