// Long texts in requests: a header, a host, a query, a form or a webhook is read in one pass. A
// rule that scans the rest again for each character takes minutes here.
import { expect, test } from "vitest";
import { createWebhookReader } from "../../../src/code-host/webhook.ts";
import { isSignature } from "../../../src/code-host/webhook-signature.ts";
import { readIdempotencyKey } from "../../../src/http/idempotency-key.ts";
import { findBoundary, readParts } from "../../../src/http/multipart.ts";
import { toQueryValues } from "../../../src/http/query.ts";
import { getClientAddress } from "../../../src/http/rate-limit.ts";
import { findCookie, readCredential } from "../../../src/key/credential.ts";
import { isUnderPreviewDomain, parsePreviewHost } from "../../../src/preview/host/address.ts";
import { findNearestName } from "../../../src/rules/nearest-name.ts";
import { longTexts } from "../../support/long-texts.ts";

/** Headers of a request, which hold any text here. */
const createHeaders = (values: Record<string, string>) =>
  ({ get: (name: string) => values[name.toLowerCase()] ?? null }) as unknown as Headers;
const createRequest = (values: Record<string, string>) =>
  ({ method: "GET", headers: createHeaders(values) }) as Request;

async function readForm(disposition: string): Promise<void> {
  async function* body() {
    yield new TextEncoder().encode(`--b\r\nContent-Disposition: form-data${disposition}\r\n\r\n\r\n--b--`);
  }
  for await (const _ of readParts(body(), "b"));
}

const repository = { id: 1, full_name: "acme/app" };
const readers: Record<string, (text: string) => unknown> = {
  "a credential": (text) => readCredential(createRequest({ authorization: `Bearer ${text}` }), "http://service.test"),
  "a cookie": (text) => findCookie(createRequest({ cookie: text }), "svc_session"),
  "an idempotency key": (text) => readIdempotencyKey(createHeaders({ "idempotency-key": text })),
  "an address": (text) => getClientAddress(createHeaders({ "cf-connecting-ip": text })),
  "a boundary": (text) => [findBoundary(text), findBoundary(`multipart/form-data; boundary=${text}`)],
  "a query": (text) => toQueryValues(new URL(`http://service.test/?${text}`)),
  "an unknown name": (text) => findNearestName(text, ["content", "model"]),
  "a preview host": (text) => [
    parsePreviewHost(`${text}.preview.test`, "preview.test"),
    isUnderPreviewDomain(`${text}.preview.test`, "preview.test"),
  ],
  "a signature": (text) => isSignature(`sha256=${text}`),
  "a webhook": (text) =>
    createWebhookReader("push")?.read(new TextEncoder().encode(JSON.stringify({ repository, ref: text, after: text }))),
};

test.each(Object.entries(readers))("%s: a long text is read in linear time", { timeout: 60_000 }, (_, read) => {
  for (const text of longTexts) expect(() => read(text)).not.toThrow();
});

test("the headers of a part: a long text is read in linear time, or refused", { timeout: 60_000 }, async () => {
  for (const text of longTexts)
    for (const disposition of [`; name="${text}`, `; name=a; filename*=utf-8''${text}`, text])
      await readForm(disposition).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
});
