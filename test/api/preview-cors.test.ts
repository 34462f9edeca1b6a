// Frontends of one sandbox that send requests to each other across origins: the browser gets
// permission, and the request itself still needs the cookie.
import { beforeAll, expect, test } from "vitest";
import { previewWorld } from "../support/api-world.ts";
import { type OpenedPreview, openProbe } from "../support/probed-preview.ts";

const world = previewWorld();
let preview: OpenedPreview;
beforeAll(async () => {
  preview = await openProbe(world);
});

const sibling = () => `http://${preview.host.replace("web--", "admin--")}`;
const asked = { "access-control-request-method": "PUT", "access-control-request-headers": "x-own,content-type" };
const preflight = (headers: Record<string, string>, path = "/probe/echo") =>
  preview.send({ method: "OPTIONS", path, headers: { ...asked, ...headers } });

test("a preflight of another frontend of the sandbox is allowed without a cookie, and reveals nothing of the service", async () => {
  const there = await preflight({ origin: sibling(), "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" });
  expect([there.status, there.text]).toEqual([204, ""]);
  expect(there.headers).toMatchObject({
    "access-control-allow-origin": sibling(),
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": "PUT",
    "access-control-allow-headers": "x-own,content-type",
    "cache-control": "no-store",
    vary: "origin",
  });
  const { date: _, "x-request-id": __, ...told } = there.headers;
  const {
    date: ___,
    "x-request-id": ____,
    ...elsewhere
  } = (await preflight({ origin: sibling() }, "/nothing")).headers;
  expect(elsewhere).toEqual(told);
});

test.each<[string, () => string]>([
  ["another sandbox", () => sibling().replace(preview.sandboxKey, "s0123456789abcdef")],
  ["another site", () => "https://evil.example"],
  ["a site named like one", () => `${sibling()}.evil.example`],
  ["nobody", () => "null"],
  ["the service", () => world.baseUrl],
])("a preflight of %s is refused", async (_, origin) => {
  const { status, headers } = await preflight({ origin: origin(), cookie: preview.cookie });
  expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  expect(status).toBe(401);
});

test("the request after the preflight needs the cookie, and the page can read the response", async () => {
  const from = { origin: sibling(), "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" };
  const readable = { "access-control-allow-origin": sibling(), "access-control-allow-credentials": "true" };
  const answer = await preview.send({
    method: "PUT",
    path: "/probe/echo",
    headers: { ...from, cookie: preview.cookie },
  });
  expect([answer.status, answer.headers]).toEqual([200, expect.objectContaining(readable)]);
  const refused = await preview.send({ method: "PUT", path: "/probe/echo", headers: from });
  expect([refused.status, refused.headers]).toEqual([401, expect.objectContaining(readable)]);
  const own = await preview.get("/probe/echo", { cookie: preview.cookie, origin: `http://${preview.host}` });
  expect(Object.keys(own.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
});
