// The contract of sandbox drivers, tested with the real sandbox program.
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { openInForce } from "../../../src/network/rules/network.ts";
import { fetchFromService } from "../../../src/preview/host/forward.ts";
import { createProgramClient } from "../../../src/sandbox/program/client.ts";
import { type SandboxDriver, SandboxUnreachable } from "../../../src/sandbox/program/driver.ts";
import type { ProgramAnswer } from "../../../src/sandbox/program/response.ts";

/** A driver under test, with the means to cause failures. */
export interface OpenedDriver {
  driver: SandboxDriver;
  /** The same driver, if the state of sandboxes cannot be read. */
  shutOut: SandboxDriver;
  /** Ends the sandbox without the driver's knowledge, as a crash would. */
  lose(): Promise<void>;
}

const servicePort = 3000;
const world = inject("drivers");
export const newKey = () => `s${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
export const newSecret = () => `secret-${crypto.randomUUID()}`;

/** Tests the contract on one driver. */
export function sandboxDriverContract(name: string, open: (key: string) => OpenedDriver): void {
  describe(`${name} as a driver`, () => {
    let opened: OpenedDriver;
    let driver: SandboxDriver;
    let secret: string;
    beforeEach(() => {
      opened = open(newKey());
      driver = opened.driver;
      secret = newSecret();
    });
    afterEach(() => driver.stop());

    const program = (of = secret) => createProgramClient(driver, { secret: of });
    const get = (path: string, init: RequestInit = {}, port = servicePort) =>
      fetchFromService(driver, { secret }, port, new Request(`https://web.preview.test${path}`, init));
    const reached = (port?: number) =>
      (port === undefined ? program().status() : get("/", {}, port)).then(() => "reached", toReason);

    async function startService(): Promise<void> {
      await driver.start(secret, openInForce);
      const { remoteUrl, remoteToken, serviceCommand } = world;
      await told(
        program().checkout({ remoteUrl, token: remoteToken, branch: "svc/x", baseBranch: "main", setup: [], env: {} }),
      );
      const web = { name: "web", command: serviceCommand, endpoints: [{ port: servicePort }] };
      await told(program().services({ services: [web], env: {}, restart: false }));
      await expect.poll(() => get("/teapot").then(readStatus, toReason)).toBe(418);
    }

    test("nothing runs before the first start, and a request starts nothing", async () => {
      expect(await driver.isRunning()).toBe(false);
      expect([await reached(), await reached(servicePort)]).toEqual(["missing", "missing"]);
      expect(await driver.isRunning()).toBe(false);
    });

    test("a start resolves when the program answers, and only its own secret is accepted", async () => {
      await driver.start(secret, openInForce);
      expect(await program().status()).toMatchObject({ ok: true, value: { checkedOut: false } });
      expect(await program(newSecret()).status()).toMatchObject({ ok: false, refusal: { code: "UNAUTHORIZED" } });
      expect(await driver.isRunning()).toBe(true);
    });

    test("a start of a running sandbox throws, and does not change it", async () => {
      await driver.start(secret, openInForce);
      expect(await driver.start(newSecret(), openInForce).catch(() => "threw")).toBe("threw");
      expect(await program().status()).toMatchObject({ ok: true });
    });

    test("of two concurrent starts, one throws and the other sets its secret", async () => {
      const secrets = [newSecret(), newSecret()];
      const ends = await Promise.allSettled(secrets.map((own) => driver.start(own, openInForce)));
      expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      const inForce = secrets[ends.findIndex(({ status }) => status === "fulfilled")];
      expect(await program(inForce).status()).toMatchObject({ ok: true });
    });

    test("a stop is idempotent, also if nothing runs", async () => {
      await driver.stop();
      await driver.start(secret, openInForce);
      await driver.stop();
      await driver.stop();
      expect([await driver.isRunning(), await reached()]).toEqual([false, "missing"]);
    });

    test("a stop during a start leaves nothing running", async () => {
      const start = driver.start(secret, openInForce).catch(() => undefined);
      await Promise.all([driver.stop(), start]);
      expect([await driver.isRunning(), await reached()]).toEqual([false, "missing"]);
    });

    test("a start after a stop has an empty disk, and another secret", async () => {
      await startService();
      await driver.stop();
      const next = newSecret();
      await driver.start(next, openInForce);
      expect(await program(next).status()).toMatchObject({ ok: true, value: { checkedOut: false, services: [] } });
      expect(await program().status()).toMatchObject({ ok: false, refusal: { code: "UNAUTHORIZED" } });
    });

    test("a pause is idempotent, and the next start has another secret", async () => {
      await driver.start(secret, openInForce);
      await driver.pause();
      await driver.pause();
      expect([await driver.isRunning(), await reached()]).toEqual([false, "missing"]);
      const next = newSecret();
      await driver.start(next, openInForce);
      expect(await program(next).status()).toMatchObject({ ok: true });
    });

    test("a sandbox that ended unexpectedly is reported as gone, and can be started again", async () => {
      await driver.start(secret, openInForce);
      await opened.lose();
      await expect.poll(() => driver.isRunning()).toBe(false);
      expect(await reached()).toBe("missing");
      await driver.start(secret, openInForce);
      expect(await program().status()).toMatchObject({ ok: true });
    });

    test("isRunning throws if the platform cannot say", async () => {
      expect(await opened.shutOut.isRunning().catch(() => "threw")).toBe("threw");
    });

    test("a port without a listener is distinguished from a missing sandbox", async () => {
      await driver.start(secret, openInForce);
      expect(await reached(servicePort)).toBe("unreachable");
    });

    test("a service receives the request unchanged, as one of this machine, with the browser's host name beside it", async () => {
      await startService();
      const headers = { "x-forwarded-host": "web--s1.preview.test", "x-own": "kept" };
      const answer = await get("/echo?import&q=%20", { method: "POST", body: "hello", headers });
      expect(await answer.json()).toMatchObject({
        method: "POST",
        url: "/echo?import&q=%20",
        headers: { ...headers, host: expect.stringMatching(/^localhost:\d+$/) },
        body: "hello",
      });
      const { headers: seen } = await (await get("/echo")).json<{ headers: Record<string, string> }>();
      expect(Object.keys(seen).filter((name) => /^(x-sandbox-|cf-)|authorization/.test(name))).toEqual([]);
    });

    test("nobody reaches a service, or the program through it, without the sandbox's secret", async () => {
      await startService();
      const ask = (headers: Record<string, string>) =>
        driver.fetch(new Request("http://program/teapot", { headers })).then(({ status }) => status, toReason);
      const port = String(servicePort);
      const authorization = `Bearer ${secret}`;
      expect([
        await ask({ "x-sandbox-port": port }),
        await ask({ "x-sandbox-port": port, "x-sandbox-secret": newSecret() }),
        await ask({ "x-sandbox-port": port, authorization }),
        await ask({ "x-sandbox-port": port, "x-sandbox-secret": newSecret(), upgrade: "websocket" }),
        await ask({ "x-sandbox-port": port, "x-sandbox-secret": secret }),
      ]).toEqual([401, 401, 401, 401, 418]);
    });

    test("an answer of another process than the one that was started is none", async () => {
      await startService();
      const teapot = new Request("http://localhost/teapot");
      const asked = fetchFromService(driver, { secret, bootId: "another" }, servicePort, teapot);
      expect(await asked.then(({ status }) => status, toReason)).toBe("missing");
    });

    test("a service's status, headers, redirects and chunks are forwarded unchanged", async () => {
      await startService();
      const teapot = await get("/teapot");
      expect([teapot.status, teapot.headers.get("x-own"), await teapot.text()]).toEqual([
        418,
        "kept",
        "short and stout",
      ]);
      const redirect = await get("/redirect", { redirect: "manual" });
      expect([redirect.status, redirect.headers.get("location")]).toEqual([307, "/echo"]);
      await redirect.body?.cancel();
      const reader = (await get("/stream")).body?.pipeThrough(new TextDecoderStream()).getReader();
      expect((await reader?.read())?.value).toBe("first");
      await (await get("/go-on")).text();
      expect((await reader?.read())?.value).toBe("second");
      expect((await reader?.read())?.done).toBe(true);
    });

    test("bodies of any length are forwarded in both directions, in chunks", async () => {
      await startService();
      let left = 64;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (left-- > 0) controller.enqueue(new Uint8Array(100_000).fill(left));
          else controller.close();
        },
      });
      const back = await get("/mirror", { method: "PUT", body });
      let bytes = 0;
      let sum = 0;
      for await (const piece of back.body ?? []) {
        bytes += piece.length;
        for (const byte of piece) sum += byte;
      }
      expect([bytes, sum]).toEqual([6_400_000, 100_000 * ((63 * 64) / 2)]);
    });

    test("a WebSocket forwards messages in both directions until it is closed", async () => {
      await startService();
      const { status, webSocket } = await get("/live?x=1", { headers: { upgrade: "websocket" } });
      expect(status).toBe(101);
      const heard: string[] = [];
      const closed = Promise.withResolvers<number>();
      webSocket?.addEventListener("message", ({ data }) => heard.push(String(data)));
      webSocket?.addEventListener("close", ({ code }) => closed.resolve(code));
      webSocket?.accept();
      for (const text of ["one", "two"]) webSocket?.send(text);
      await expect.poll(() => heard).toEqual(["/live?x=1 heard one", "/live?x=1 heard two"]);
      webSocket?.close(1000);
      expect(await closed.promise).toBe(1000);
    });

    test("a connection that breaks before a response is 502, and the sandbox continues", async () => {
      await startService();
      const broken = await get("/break");
      expect([broken.status, broken.headers.get("x-sandbox-broken")]).toEqual([502, "1"]);
      expect((await get("/teapot")).status).toBe(418);
    });

    test.each(["x-sandbox-missing", "x-sandbox-unreachable", "x-sandbox-broken"])(
      "a service cannot set %s",
      async (claim) => {
        await startService();
        const answer = await get("/claim", { headers: { "x-claim": claim } });
        expect([answer.status, answer.headers.get(claim), await answer.text()]).toEqual([200, null, "I am gone"]);
      },
    );
  });
}

async function told<Value>(answer: Promise<ProgramAnswer<Value>>): Promise<Value> {
  const settled = await answer;
  if (!settled.ok) throw new Error(settled.refusal.message);
  return settled.value;
}

/**
 * Of an answer whose body is read: workerd's local containers break the next request if one is
 * left.
 */
async function readStatus(answer: Response): Promise<number> {
  await answer.arrayBuffer();
  return answer.status;
}

function toReason(error: unknown): string {
  if (!(error instanceof SandboxUnreachable)) throw error;
  return error.isMissing ? "missing" : "unreachable";
}
