// The encryption of Web Push by the example of RFC 8291, and the key of RFC 8292.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { fromBase64Url, toBase64Url } from "../../../src/lib/base64url.ts";
import { createBrowserSender, findWebPushKey, readWebPushKey } from "../../../src/notification/web-push.ts";
import { getPublicKey, isPushKey, sealForBrowser, toPem } from "../../../src/notification/web-push-crypto.ts";
import { startWebPushService, type WebPushService } from "../../support/web-push-service.ts";

/** RFC 8291, appendix A. */
const example = {
  text: "When I grow up, I want to be a watermelon",
  senderPrivate: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  senderPublic: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  browser: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  },
  body: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

async function openSender() {
  const how = { name: "ECDH", namedCurve: "P-256" };
  const whole = fromBase64Url(example.senderPublic);
  const [x, y] = [toBase64Url(whole.subarray(1, 33)), toBase64Url(whole.subarray(33))];
  const jwk = { kty: "EC", crv: "P-256", x, y };
  const privateKey = await crypto.subtle.importKey("jwk", { ...jwk, d: example.senderPrivate }, how, true, [
    "deriveBits",
  ]);
  const publicKey = await crypto.subtle.importKey("jwk", jwk, how, true, []);
  return { keys: { privateKey, publicKey }, salt: fromBase64Url(example.salt) };
}

test("a text is encrypted as the example of the RFC is", async () => {
  const body = await sealForBrowser(example.text, example.browser, await openSender());
  expect(toBase64Url(body)).toBe(example.body);
});

test("two notifications share no key", async () => {
  const [one, other] = [
    await sealForBrowser(example.text, example.browser),
    await sealForBrowser(example.text, example.browser),
  ];
  // The salt, and the public key after the size of the record.
  expect([one.subarray(0, 16), one.subarray(21, 86)]).not.toEqual([other.subarray(0, 16), other.subarray(21, 86)]);
});

test("the public key belongs to the private key", async () => {
  expect(await getPublicKey(example.senderPrivate)).toBe(example.senderPublic);
  expect(toPem(example.senderPrivate)).toMatch(/^-----BEGIN PRIVATE KEY-----\n[\w+/=]+\n-----END PRIVATE KEY-----$/);
});

test.each([
  [undefined, null],
  ["", null],
  ["short", null],
  // No number of 32 bytes above the order of the curve is a key.
  [toBase64Url(new Uint8Array(32).fill(255)), null],
  [example.senderPrivate, example.senderPublic],
])("of the setting %j, browsers get %j", async (key, expected) => {
  const env = key === undefined ? {} : { WEB_PUSH_PRIVATE_KEY: key };
  expect(await findWebPushKey(env)).toBe(expected);
});

test.each([
  ["a point of the curve", example.browser.p256dh, true],
  ["no point of the curve", toBase64Url(new Uint8Array(65).fill(4)), false],
  ["another form of a point", toBase64Url(new Uint8Array(65)), false],
])("%s: %s", async (_, key, expected) => {
  expect(await isPushKey(key)).toBe(expected);
});

let service: WebPushService;
beforeAll(async () => {
  service = await startWebPushService();
});
afterAll(() => service.close());

const env = {
  PUBLIC_URL: "https://switchyard.example",
  SANDBOX_HOST_URL: "",
  WEB_PUSH_PRIVATE_KEY: example.senderPrivate,
};
const notice = () => ({
  ...{ id: "0f8f2c1e-5d0b-4b7a-9a3e-6c1d2e3f4a5b", kind: "job_failed" as const, workspaceId: "ws", projectId: "p" },
  ...{ sessionId: "s", turnId: "t", run: null, title: "Fix the board", userId: "usr", at: Date.now() },
});

test("a push service takes it, and the browser reads it", async () => {
  const browser = service.subscribe();
  const key = readWebPushKey(env) ?? "";
  const to = { endpoint: browser.endpoint, ...browser.keys };
  expect(await createBrowserSender(env, key)(to, notice())).toEqual({ status: 201, reason: null });
  expect(service.listReceived(browser)).toEqual([
    {
      payload: {
        ...{ id: notice().id, kind: "job_failed", title: "Fix the board", body: "A turn failed." },
        ...{ tag: "s", path: "/s/s" },
      },
      headers: expect.objectContaining({ urgency: "high", topic: "0f8f2c1e5d0b4b7a9a3e6c1d2e3f4a5b" }),
      sender: { key: example.senderPublic, sub: "https://switchyard.example" },
    },
  ]);
  const ttl = Number(service.listReceived(browser)[0]?.headers.ttl);
  expect(ttl).toBeGreaterThan(3_500);
  expect(ttl).toBeLessThanOrEqual(3_600);
});

test("a title of any length fits into one record", async () => {
  const browser = service.subscribe();
  const title = "👩‍🚀".repeat(1_000);
  const to = { endpoint: browser.endpoint, ...browser.keys };
  expect((await createBrowserSender(env, example.senderPrivate)(to, { ...notice(), title })).status).toBe(201);
});

test("no answer is not an error", async () => {
  const at = vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("no answer"));
  const { endpoint, keys } = service.subscribe();
  expect(await createBrowserSender(env, example.senderPrivate)({ endpoint, ...keys }, notice())).toEqual({
    status: 0,
    reason: null,
  });
  at.mockRestore();
});
