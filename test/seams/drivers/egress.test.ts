// The way out of a sandbox's container: what the platform's entrypoint makes of the requests that
// are caught.
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { type EgressProps, toEgressProps } from "../../../src/network/rules/egress.ts";
import { type NetworkInForce, openInForce } from "../../../src/network/rules/network.ts";
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

test.each(["https://example.com/", "http://10.0.0.1/", "http://service.internal:8080/", "http://other.internal/"])(
  "in the mode open, a request for %s came by a forged host, and is refused",
  async (url) => {
    expect((await createEgress(openInForce).fetch(url)).status).toBe(403);
  },
);
