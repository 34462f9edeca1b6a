// Secrets that no sandbox contains: a sandbox gets placeholders, and only a request to a host of
// the secret has the value, which no response shows.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Env } from "../../../src/env.ts";
import { EgressRoute } from "../../../src/network/egress-route.ts";
import { toEgressProps } from "../../../src/network/rules/egress.ts";
import { type NetworkInForce, openInForce } from "../../../src/network/rules/network.ts";
import {
  deleteNetworkSecret,
  listNetworkSecrets,
  updateNetworkSecret,
  withPlaceholders,
} from "../../../src/network/secrets.ts";
import { readNetworkForStart } from "../../../src/network/settings.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { sweepStaleSeals } from "../../../src/sweeps/stale-seals.ts";
import { captureLog } from "../support/captured-log.ts";
import { freshSandbox, host, owner, sandbox } from "../support/sandbox-driver.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

const { projectId } = owner;
const own = env as unknown as Env;
/** The Worker's environment where sandboxes are containers. */
const opening: Env = { ...own, CONTAINER: {} as NonNullable<Env["CONTAINER"]> };
const value = "sk-proj-the+value/itself";
const secret = { projectId, name: "API_KEY", value, onlyTo: ["api.example.com"], as: "header" as const };

let now = Date.now();
beforeEach(async () => {
  await freshSandbox();
  // What an isolate remembers is forgotten.
  now += 61_000;
  vi.spyOn(Date, "now").mockImplementation(() => now);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await env.DB.prepare("DELETE FROM network_secrets").run();
});

async function set(changes: Partial<typeof secret> = {}) {
  const written = await updateNetworkSecret(opening, { ...secret, ...changes }, now);
  if (isRefusal(written)) throw new Error(written.message);
  return written;
}

/** The way out of a sandbox whose network is open but for the secrets of its project. */
class Egress extends EgressRoute {
  protected override serve(): Response {
    return new Response("the service");
  }
}

async function send(request: Request, network?: NetworkInForce): Promise<Response> {
  const inForce = network ?? (await readNetworkForStart(opening, { id: projectId }));
  if (isRefusal(inForce)) throw new Error(inForce.message);
  const name = { containerId: "id", container: { sandboxKey: "s1", generation: 1 } };
  const ctx = Object.assign(createExecutionContext(), { props: toEgressProps(name, inForce) });
  const { CONTAINER: _, ...seenByNobody } = opening;
  return await new Egress(ctx as never, { ...seenByNobody, PUBLIC_NETWORK: outside } as never).fetch(request);
}

const createStream = (pieces: Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });

/** The hosts outside, which send back what they received. */
const outside = {
  async fetch(request: Request) {
    const { url, headers } = request;
    return Response.json(
      { url, headers: Object.fromEntries(headers) },
      { headers: { "x-echo": String(headers.get("x-key")) } },
    );
  },
} as unknown as Fetcher;

const sentTo = async (url: string, headers: Record<string, string>) => {
  const fetched = vi.spyOn(outside, "fetch");
  const response = await send(new Request(url, { headers }));
  const [request] = fetched.mock.calls[0] ?? [];
  fetched.mockRestore();
  return { sent: request as Request | undefined, response, text: await response.text() };
};

test("the host of a secret gets the value, and its response shows it nowhere", async () => {
  const { placeholder } = await set();
  const { sent, response, text } = await sentTo("https://api.example.com/v1?a=1", { "x-key": placeholder });
  expect(sent?.headers.get("x-key")).toBe(value);
  expect(sent?.headers.get("accept-encoding")).toBe("identity");
  expect(response.headers.get("x-echo")).toBe("[redacted]");
  expect(text).toContain('"x-key":"[redacted]"');
  expect(text).not.toContain("the+value");
});

test("no other host gets it, and none over http", async () => {
  const { placeholder } = await set();
  const network: NetworkInForce = {
    mode: "hosts",
    hosts: ["*.example.com", "api.example.com"],
    strict: false,
    secrets: { projectId, hosts: ["api.example.com"] },
  };
  for (const url of ["https://other.example.com/", "http://api.example.com/"]) {
    const fetched = vi.spyOn(outside, "fetch");
    await (await send(new Request(url, { headers: { "x-key": placeholder } }), network)).text();
    const [sent] = fetched.mock.calls[0] ?? [];
    expect((sent as Request | undefined)?.headers.get("x-key")).toBe(placeholder);
    fetched.mockRestore();
  }
});

test("in the mode hosts, a host has to be listed, also with a secret", async () => {
  await set();
  const network: NetworkInForce = { ...openInForce, mode: "hosts", secrets: { projectId, hosts: ["api.example.com"] } };
  expect((await send(new Request("https://api.example.com/"), network)).status).toBe(403);
});

test("a value in Basic authorization comes back in no form either", async () => {
  const { placeholder } = await set({ as: "basic" as never });
  const given = { authorization: `Basic ${btoa(`user:${placeholder}`)}` };
  const { sent, text } = await sentTo("https://api.example.com/", given);
  const token = btoa(`user:${value}`);
  expect(sent?.headers.get("authorization")).toBe(`Basic ${token}`);
  expect(text).not.toContain(token);
});

test("a response that shows the value in pieces, between bytes that are no text, shows it nowhere", async () => {
  await set();
  const bytes = (text: string) => new TextEncoder().encode(text);
  const pieces = [new Uint8Array([0xff, 0x00, 0xc3]), bytes(value.slice(0, 5)), bytes(value.slice(5)), bytes(" end")];
  vi.spyOn(outside, "fetch").mockImplementation(async () => new Response(createStream(pieces)));
  const answer = await send(new Request("https://api.example.com/"));
  const received = new Uint8Array(await answer.arrayBuffer());
  expect([...received.slice(0, 3)]).toEqual([0xff, 0x00, 0xc3]);
  expect(new TextDecoder().decode(received.slice(3))).toBe("[redacted] end");
});

test("a WebSocket is sent with its placeholder", async () => {
  const { placeholder } = await set();
  const fetched = vi.spyOn(outside, "fetch");
  const headers = { upgrade: "websocket", "x-key": placeholder };
  await (await send(new Request("https://api.example.com/", { headers }))).text();
  const [sent] = fetched.mock.calls[0] ?? [];
  expect((sent as Request | undefined)?.headers.get("x-key")).toBe(placeholder);
});

test("a new value keeps the placeholder, and is sent a minute later", async () => {
  const { placeholder } = await set();
  const key = async () =>
    (await sentTo("https://api.example.com/", { "x-key": placeholder })).sent?.headers.get("x-key");
  expect(await key()).toBe(value);
  expect((await set({ value: "another-value" })).placeholder).toBe(placeholder);
  now += 60_000;
  expect(await key()).toBe("another-value");
  await deleteNetworkSecret(opening, secret);
  now += 60_000;
  expect(await key()).toBeUndefined();
});

test("a value that cannot be unsealed is sent to nobody, and the operator reads of it", async () => {
  const { placeholder } = await set();
  await env.DB.prepare("UPDATE network_secrets SET sealed = replace(sealed, '.', '.AA')").run();
  const log = captureLog();
  const { sent } = await sentTo("https://api.example.com/", { "x-key": placeholder });
  expect(sent?.headers.get("x-key")).toBe(placeholder);
  expect(log).toMatchObject([{ event: "network.secret_unreadable", projectId, variable: "API_KEY" }]);
});

test("setup, services and turns get the placeholder, whatever the project's own variable is", async () => {
  const { placeholder } = await set();
  await sandbox().bringUp(owner);
  const checkout = host.bodies.map((body) => JSON.parse(body)).find((body) => "setup" in body);
  expect(checkout.env).toEqual({ API_KEY: placeholder });
  expect(JSON.stringify(host.bodies)).not.toContain(value);
});

test("a service's own variable with the name of a secret is the placeholder too", async () => {
  const { placeholder } = await set();
  const web = { name: "web", command: "run", endpoints: [] };
  const services = [{ ...web, env: { API_KEY: "own", MODE: "x" } }, web];
  const settings = await withPlaceholders(env, projectId, { setup: [], services, env: { API_KEY: "project's" } });
  expect(settings.env).toEqual({ API_KEY: placeholder });
  expect(settings.services).toEqual([{ ...web, env: { API_KEY: placeholder, MODE: "x" } }, web]);
});

test("a project lists its secrets by name, without values", async () => {
  await set({ name: "B_KEY" });
  await set({ name: "A_KEY", onlyTo: ["B.example.com", "a.example.com"] });
  const secrets = await listNetworkSecrets(env, projectId);
  expect(secrets).toMatchObject([
    { name: "A_KEY", onlyTo: ["a.example.com", "b.example.com"], as: "header" },
    { name: "B_KEY" },
  ]);
  expect(JSON.stringify(secrets)).not.toContain(value);
});

test.each([
  ["a name of the service", { ...secret, name: "SWITCHYARD_KEY" }, opening, "VALIDATION_ERROR", "reserved"],
  ["no name of a variable", { ...secret, name: "A-B" }, opening, "VALIDATION_ERROR", "letters, digits"],
  ["a place that opens nothing", secret, own, "BAD_REQUEST", "run sandboxes as containers"],
] as const)("a secret is refused for %s", async (_, wanted, where, code, words) => {
  const refusal = await updateNetworkSecret(where, wanted, now);
  expect(refusal).toMatchObject({ code });
  expect(JSON.stringify(refusal)).toContain(words);
});

test("a project has at most 50 secrets, and the 51st can replace one", async () => {
  for (let at = 0; at < 50; at++) await set({ name: `KEY_${at}` });
  const refused = await updateNetworkSecret(opening, { ...secret, name: "KEY_50" }, now);
  expect(refused).toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining("has 50 secrets") });
  await set({ name: "KEY_49", value: "another-value" });
});

test("the sweep seals values with the new key", async () => {
  const { placeholder } = await set();
  const both = { ...opening, SEALING_KEYS: `k2:${"B".repeat(43)},${opening.SEALING_KEYS}` };
  await sweepWhole(sweepStaleSeals, both, 0);
  expect(await env.DB.prepare("SELECT sealed FROM network_secrets").first<string>("sealed")).toMatch(/^k2\./);
  expect(placeholder).toMatch(/^sk-proj-svc_held_[a-z0-9]{32}$/);
});
