// The way out of a sandbox's container: what the platform's entrypoint makes of the requests that
// are caught.
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type EgressProps, toEgressProps } from "../../../src/network/rules/egress.ts";
import { type NetworkInForce, openInForce } from "../../../src/network/rules/network.ts";
import { createContainerDriver } from "../../../src/sandbox/program/container-driver.ts";
import { newKey } from "./contract.ts";

/** The way out of the container of a sandbox. */
function createEgress(network: NetworkInForce, sandboxKey = newKey()): Fetcher {
  const name = {
    containerId: env.CONTAINER.idFromName(sandboxKey).toString(),
    container: { sandboxKey, generation: null },
  };
  const { SandboxEgress } = exports as unknown as { SandboxEgress(options: { props: EgressProps }): Fetcher };
  return SandboxEgress({ props: toEgressProps(name, network) });
}

interface Served {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

test.each(["open", "hosts", "closed"] as const)("in the mode %s, the service is reached", async (mode) => {
  const egress = createEgress({ ...openInForce, mode });
  const answer = await egress.fetch("http://service.internal/internal/tools/one?a=%20", {
    method: "POST",
    body: "hello",
  });
  expect(await answer.json()).toMatchObject({
    method: "POST",
    url: "https://switchyard.test/internal/tools/one?a=%20",
    body: "hello",
  });
});

test("the service receives the sandbox as its caller, and nothing of what a caller says about itself", async () => {
  const key = newKey();
  const claims = {
    "cf-connecting-ip": "192.0.2.7",
    "cf-ray": "1",
    "mf-original-url": "https://else.test/",
    "x-forwarded-for": "192.0.2.7",
    "x-forwarded-host": "web.preview.test",
    "x-forwarded-proto": "https",
    forwarded: "for=192.0.2.7",
    "x-real-ip": "192.0.2.7",
    "true-client-ip": "192.0.2.7",
    via: "1.1 somebody",
  };
  const own = { authorization: "Bearer token", "x-own": "kept", "content-type": "text/plain" };
  const asked = createEgress(openInForce, key).fetch("http://service.internal/api/meta", {
    headers: { ...claims, ...own },
  });
  const { headers } = await (await asked).json<Served>();
  expect(headers).toMatchObject({ ...own, "cf-connecting-ip": `sandbox ${key}` });
  const { "cf-connecting-ip": _, ...others } = headers;
  expect(Object.keys(others).filter((name) => name in claims)).toEqual([]);
});

test("a WebSocket to the service, as the turn link is one, sends in both directions", async () => {
  const headers = { upgrade: "websocket" };
  const { status, webSocket } = await createEgress(openInForce).fetch("http://service.internal/internal/turn-link", {
    headers,
  });
  expect(status).toBe(101);
  const received = Promise.withResolvers<unknown>();
  webSocket?.addEventListener("message", ({ data }) => received.resolve(data));
  webSocket?.accept();
  webSocket?.send("hello");
  expect(await received.promise).toBe("hello");
  webSocket?.close();
});

test.each(["/", "/account", "/dev/sign-in", "/api/../dev/sign-in", "/api/%2e%2e/account", "/apis/meta"])(
  "of the service, %s is closed",
  async (path) => {
    expect((await createEgress(openInForce).fetch(`http://service.internal${path}`)).status).toBe(404);
  },
);

describe("a request of a sandbox that is held to some hosts", () => {
  const network: NetworkInForce = { mode: "hosts", hosts: ["*.example.org", "example.com"], strict: false };
  let sent: object[];
  beforeEach(() => {
    sent = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      const { method, redirect, cache, headers } = request;
      sent.push({ method, redirect, cache, authorization: headers.get("authorization"), body: await request.text() });
      if (request.url.includes("silent")) throw new Error("Network connection lost.");
      return new Response("from outside", { status: 201 });
    });
  });
  afterEach(() => vi.restoreAllMocks());

  test.each(["http://example.com/a", "https://a.example.org/?b", "https://EXAMPLE.com./"])(
    "reaches %s, without a cache, and follows no redirect by itself",
    async (url) => {
      const headers = { authorization: "Bearer own" };
      const answer = await createEgress(network).fetch(url, { method: "POST", body: "hello", headers });
      expect([answer.status, await answer.text()]).toEqual([201, "from outside"]);
      const { authorization } = headers;
      expect(sent).toEqual([{ method: "POST", redirect: "manual", cache: "no-store", authorization, body: "hello" }]);
    },
  );

  test.each([
    ["https://evilexample.com/", "may not reach evilexample.com. A member can add it"],
    ["https://example.org/", "may not reach example.org."],
    ["http://127.0.0.1/", "may not reach the address 127.0.0.1"],
    ["http://example.com:8080/", "may not reach port 8080 of example.com"],
  ])("is refused for %s with a status that no client tries again", async (url, sentence) => {
    const answer = await createEgress(network).fetch(url);
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining(sentence)]);
    expect(sent).toEqual([]);
  });

  test("to a host that does not answer is answered with a sentence", async () => {
    const answer = await createEgress(network).fetch("https://silent.example.org/");
    expect([answer.status, await answer.text()]).toEqual([502, "Switchyard: silent.example.org did not answer.\n"]);
  });

  test("is recorded once a minute for each host", async () => {
    const key = newKey();
    const driver = createContainerDriver(() => env.CONTAINER.getByName(key));
    await driver.start("secret", network);
    try {
      const egress = createEgress(network, key);
      for (const url of ["https://example.com/", "https://example.com/a", "https://example.net/"])
        await (await egress.fetch(url)).text();
      const seen = async () => (await driver.findNetwork())?.seen;
      await expect.poll(seen).toEqual([
        { host: "example.com", port: 443, isAllowed: true, count: 1 },
        { host: "example.net", port: 443, isAllowed: false, count: 1 },
      ]);
      vi.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000);
      await (await egress.fetch("https://example.com/")).text();
      await expect.poll(seen).toMatchObject([
        { host: "example.com", count: 3 },
        { host: "example.net", count: 1 },
      ]);
    } finally {
      vi.restoreAllMocks();
      await driver.stop();
    }
  });
});

test.each(["https://example.com/", "http://10.0.0.1/", "http://service.internal:8080/", "http://other.internal/"])(
  "in the mode open, a request for %s came by a forged host, and is refused",
  async (url) => {
    expect((await createEgress(openInForce).fetch(url)).status).toBe(403);
  },
);
