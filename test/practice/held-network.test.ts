// What a sandbox of bubblewrap reaches. One that is held to a network reaches the service, and
// hosts of its network through the filter. Each way around it is tried from inside, by a service of
// the sandbox. Without bubblewrap, no such sandbox starts. With an open network, a sandbox reaches
// nothing of this machine but the service. Without pasta, it shares the machine's network.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findIsolation, type Isolation, noIsolation } from "../../practice/sandbox-host/isolation.ts";
import { readServerName } from "../../practice/sandbox-host/network/client-hello.ts";
import { createHostConnection } from "../../practice/sandbox-host/network/public-connection.ts";
import { type SandboxHost, startSandboxHost } from "../../practice/sandbox-host/sandbox-host.ts";
import { openInForce } from "../../src/network/rules/network.ts";
import { carriedPortHeader, carrierHeader } from "../../src/sandbox-protocol/headers.ts";
import { type GitRemote, startGitRemote } from "../sandbox-program/support/git-remote.ts";
import { programFile, secret } from "../sandbox-program/support/program.ts";
import { createGitService, getGitUrl } from "../support/git-service.ts";
import { until } from "../support/until.ts";

/** Runs what it is sent, and answers what comes of it. */
const prober = `
const http = require("node:http"), net = require("node:net");
const tools = {
  require,
  connected: (port, host = "127.0.0.1") => new Promise((resolve) => {
    const socket = net.connect({ port, host }, () => resolve("connected") || socket.destroy());
    socket.on("error", (error) => resolve(error.code));
  }),
  // The answer to raw text at the proxy; with more text once something came.
  proxied: (...texts) => new Promise((resolve) => {
    let answer = "";
    const socket = net.connect(Number(new URL(process.env.HTTP_PROXY).port), "127.0.0.1");
    socket.write(texts.shift());
    socket.on("data", (data) => { answer += data; const next = texts.shift(); if (next) socket.write(next); });
    socket.on("close", () => resolve(answer)).on("error", (error) => resolve(error.code));
  }),
};
http.createServer(async (request, response) => {
  let code = "";
  for await (const chunk of request) code += chunk;
  const run = new Function(...Object.keys(tools), "return (async () => {" + code + "})()");
  response.end(JSON.stringify(await run(...Object.values(tools)).catch((error) => error.stack)));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const key = "s0123456789abcdef";
let isolation: Isolation;
let folder: string;
let remote: GitRemote;
let service: HttpServer;
let web: HttpServer;
let asked: IncomingMessage[] = [];
/** In the place of a server of https. It keeps what it receives. */
let secure: Server;
let hellos: Buffer[] = [];
let host: SandboxHost;

beforeAll(async () => {
  isolation = await findIsolation();
  folder = await mkdtemp(join(tmpdir(), "held-network-"));
  remote = await startGitRemote({ "prober.js": prober });
  service = createGitService(remote);
  web = createServer((request, response) => {
    asked.push(request);
    response.end("the web");
  });
  web.on("upgrade", (_, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n");
    socket.pipe(socket);
  });
  secure = createTcpServer((socket) => {
    socket
      .on("error", () => {})
      .once("data", (hello) => {
        hellos.push(hello);
        socket.end("no TLS");
      });
  });
  await Promise.all([service, web, secure].map((server) => once(server.listen(0, "::"), "listening")));
  host = await openHost(isolation);
});
afterAll(async () => {
  await host?.close();
  for (const server of [service, web]) server?.closeAllConnections();
  for (const server of [service, web, secure]) server?.close();
  await remote?.stop();
  await rm(folder, { recursive: true, force: true });
});

const getPort = (server: Server) => (server.address() as AddressInfo).port;

async function openHost(of: Isolation): Promise<SandboxHost> {
  const replaced = { "plain.example.com:80": getPort(web), "safe.example.com:443": getPort(secure) };
  const outside = { servicePort: getPort(service), replaced };
  return await startSandboxHost({
    folder: join(folder, "sandboxes"),
    programFile: programFile(),
    isolation: of,
    outside,
  });
}

const sandbox = (method: string, body?: object) =>
  fetch(`${host.url}/sandboxes/${key}`, { method, ...(body && { body: JSON.stringify(body) }) });
const program = (method: string, path: string, body: object) =>
  fetch(`${host.url}/sandboxes/${key}/program${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}` },
    body: JSON.stringify(body),
  });

/** Starts a sandbox with the prober. */
async function startHeld(network: object): Promise<void> {
  expect((await sandbox("PUT", { secret, network })).status).toBe(200);
  const branches = { branch: "svc/x", baseBranch: "main" };
  const checkout = { remoteUrl: getGitUrl(remote, getPort(service)), token: remote.token, ...branches };
  const checkedOut = await program("PUT", "/checkout", { ...checkout, setup: [], env: {} });
  expect([checkedOut.status, await checkedOut.text()]).toEqual([200, expect.stringContaining("head")]);
  const command = `exec ${JSON.stringify(process.execPath)} prober.js`;
  const services = [{ name: "prober", command, endpoints: [{ port: 3000 }] }];
  await program("PUT", "/services", { services, env: {}, restart: false });
  await until("the prober", async () => (await visit("return 1")).status === 200);
}

const visit = (code: string) =>
  fetch(`${host.url}/sandboxes/${key}/program/`, {
    method: "POST",
    headers: { [carriedPortHeader]: "3000", [carrierHeader]: secret },
    body: code,
  });
// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what a test checks
const inside = async (code: string): Promise<any> => await (await visit(code)).json();

/** The addresses of this machine but its loopback's, with the interface where one needs it. */
const ownAddresses = () =>
  Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.filter((one) => !one.internal).map(({ address, scopeid }) => (scopeid ? `${address}%${name}` : address)),
  );
/** The first one of IPv4; that of the loopback if there is none. */
const ownAddress = () => ownAddresses().find((address) => address.includes(".")) ?? "127.0.0.1";
const unreached = ["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH"];

const connectTo = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;
const get = (url: string, hostName: string, connection = "close") =>
  `GET ${url} HTTP/1.1\r\nHost: ${hostName}\r\nConnection: ${connection}\r\n\r\n`;
const statusesIn = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
const proxied = async (...texts: string[]): Promise<string> =>
  await inside(`return await proxied(...${JSON.stringify(texts)});`);

/** Skips nothing: where nothing holds a sandbox, it shows that none starts. */
async function whereHeld(network: object, held: () => Promise<void>): Promise<void> {
  if (isolation.holdsNetworks) {
    await startHeld(network);
    await held().finally(() => sandbox("DELETE"));
  } else await showNoneStarts(network);
}

async function showNoneStarts(network: object): Promise<void> {
  const refused = await sandbox("PUT", { secret, network });
  expect([refused.status, await refused.text()]).toEqual([500, expect.stringContaining("Nothing here enforces")]);
  expect(await (await sandbox("GET")).json()).toEqual({ running: false });
}

const listed = { mode: "hosts", hosts: ["plain.example.com", "safe.example.com"], strict: false };
const closed = { mode: "closed", hosts: [], strict: false };

test("an open sandbox reaches no server of this machine, or shares the network with all of them", async () => {
  await startHeld(openInForce);
  const addresses = ["127.0.0.1", "::ffff:127.0.0.1", "::1", ...ownAddresses()];
  const [metadata, own, proxy, port] = await inside(`
    const metadata = await connected(80, "169.254.169.254");
    const own = await Promise.all(${JSON.stringify(addresses)}.map((address) => connected(${getPort(web)}, address)));
    return [metadata, own, process.env.HTTP_PROXY ?? null, process.env.PORT];`);
  // Another server of the machine may have this port, so it is asked who it is.
  const signal = AbortSignal.timeout(10_000);
  const asking = fetch(`http://127.0.0.1:${port}`, { method: "POST", body: 'return "the sandbox"', signal });
  const onMachine = await asking.then((answer) => answer.text()).catch(() => null);
  await sandbox("DELETE");
  expect(proxy).toBeNull();
  if (isolation.openNetwork === null) {
    expect([own[0], own[1], onMachine]).toEqual(["connected", "connected", '"the sandbox"']);
    return;
  }
  expect(own.filter((code: string) => !unreached.includes(code))).toEqual([]);
  expect(unreached).toContain(metadata);
  // The ports of its services are not the machine's either.
  expect(onMachine).not.toBe('"the sandbox"');
});

test("an open sandbox has a way to the internet and to the service, where it does not share the machine's", async () => {
  await startHeld(openInForce);
  const base = `http://127.0.0.1:${getPort(service)}`;
  const [sent, answers] = await inside(`
    const dgram = require("node:dgram");
    const sent = await new Promise((resolve) => dgram.createSocket("udp4").send("x", 9, "198.51.100.1", (error) => resolve(error?.code ?? "sent")));
    const asked = ["/api/meta", "/internal/tools", "/dev/sign-in"].map((path) => fetch(${JSON.stringify(base)} + path));
    return [sent, (await Promise.all(asked)).map(({ status }) => status)];`);
  const status = await (await sandbox("GET")).json();
  await sandbox("DELETE");
  expect(status).toEqual({ running: true, network: openInForce, seen: [] });
  expect(answers).toEqual(isolation.openNetwork === null ? [200, 200, 200] : [200, 200, 404]);
  if (isolation.openNetwork !== null) expect(sent).toBe("sent");
});

test("nothing is reached directly: no server of this machine, no address, no other port, no UDP, no DNS", async () => {
  await whereHeld(listed, async () => {
    const own = JSON.stringify(ownAddress());
    const reached = await inside(`
      const [dgram, dns] = [require("node:dgram"), require("node:dns")];
      const udp = new Promise((resolve) => dgram.createSocket("udp4").send("x", 53, "192.0.2.1", (error) => resolve(error?.code ?? "sent")));
      const found = new Promise((resolve) => dns.lookup("plain.example.com", (error) => resolve(error ? "unknown" : "known")));
      return [await connected(${getPort(web)}), await connected(${getPort(web)}, ${own}), await connected(22, "192.0.2.1"),
        await connected(53, "192.0.2.1"), await connected(5432, "192.0.2.1"), await udp, await found];`);
    // Its own loopback, where nothing listens at that port.
    expect(reached[0]).toBe("ECONNREFUSED");
    expect(["ENETUNREACH", "ECONNREFUSED"]).toContain(reached[1]);
    expect(reached.slice(2, -1)).toEqual(Array(4).fill("ENETUNREACH"));
    expect(reached.at(-1)).toBe("unknown");
  });
});

describe("through the filter", () => {
  test("a listed host is reached by http, under its own name only", async () => {
    await whereHeld(listed, async () => {
      asked = [];
      const url = "http://plain.example.com/path?query";
      const answers = [await proxied(get(url, "plain.example.com")), await proxied(get(url, "else.example.com"))];
      expect(answers.map(statusesIn)).toEqual([[200], [200]]);
      expect(asked.map(({ url: path, headers }) => [path, headers.host])).toEqual([
        ["/path?query", "plain.example.com"],
        ["/path?query", "plain.example.com"],
      ]);
    });
  });

  test("any other target is refused with 403, and says why", async () => {
    await whereHeld(listed, async () => {
      const refused = [
        get("http://else.example.com/", "else.example.com"),
        get("http://plain.example.com:8080/", "plain.example.com:8080"),
        get("http://me@plain.example.com/", "plain.example.com"),
        get("http://127.0.0.1/", "plain.example.com"),
        get("http://0x7f.1/", "plain.example.com"),
        get("http://[::1]/", "plain.example.com"),
        get("http://service.internal/api/meta", "service.internal"),
        ...["else.example.com:443", "safe.example.com:22", "safe.example.com:5432", "127.0.0.1:443"].map(connectTo),
        ...["[::1]:443", "localhost:443", "me@safe.example.com:443"].map(connectTo),
      ];
      const answers: string[] = await inside(
        `return await Promise.all(${JSON.stringify(refused)}.map((text) => proxied(text)));`,
      );
      expect(answers.map(statusesIn)).toEqual(refused.map(() => [403]));
      expect(answers[0]).toContain("this project's sandboxes may not reach else.example.com. A member can add it");
    });
  });

  test("a tunnel to port 80 carries requests only for its host, also after an allowed one", async () => {
    await whereHeld(listed, async () => {
      asked = [];
      const own = get("/first", "plain.example.com", "keep-alive");
      const tunnel = connectTo("plain.example.com:80");
      expect(statusesIn(await proxied(tunnel, own, get("/second", "else.example.com")))).toEqual([200, 200, 403]);
      expect(statusesIn(await proxied(tunnel, get("http://safe.example.com/", "safe.example.com")))).toEqual([
        200, 403,
      ]);
      expect(asked.map(({ url }) => url)).toEqual(["/first"]);
    });
  });

  test("a WebSocket passes", async () => {
    await whereHeld(listed, async () => {
      const echoed = await inside(`
        const http = require("node:http");
        const path = "http://plain.example.com/socket", headers = { host: "plain.example.com", connection: "Upgrade", upgrade: "echo" };
        return await new Promise((resolve) => http.get({ host: "127.0.0.1", port: 3128, path, headers }).on("upgrade", (_, socket) => {
          socket.once("data", (data) => { resolve(String(data)); socket.destroy(); });
          socket.write("echo me");
        }));`);
      expect(echoed).toBe("echo me");
    });
  });

  test("a TLS connection is made only under the name that its tunnel was opened for", async () => {
    await whereHeld(listed, async () => {
      hellos = [];
      const helloFor = (name: string) => `
        await new Promise((resolve) => {
          const socket = net.connect(3128, "127.0.0.1", () => socket.write(${JSON.stringify(connectTo("safe.example.com:443"))}));
          socket.once("data", () => tls.connect({ socket, servername: ${JSON.stringify(name)} }).on("error", () => {}).on("close", resolve));
        });`;
      const plain = ["GET / HTTP/1.1\r\nHost: safe.example.com\r\n\r\n"];
      await inside(`
        const [net, tls] = [require("node:net"), require("node:tls")];
        ${helloFor("else.example.com")} ${helloFor("")} ${helloFor("safe.example.com")}
        return null;`);
      await proxied(connectTo("safe.example.com:443"), ...plain);
      expect(hellos.map(readServerName)).toEqual([{ name: "safe.example.com" }]);
    });
  });

  test("what was asked for is counted", async () => {
    await whereHeld(listed, async () => {
      for (const name of ["plain", "else", "else"]) await proxied(get(`http://${name}.example.com/`, "x"));
      const seen = [
        { host: "plain.example.com", port: 80, isAllowed: true, count: 1 },
        { host: "else.example.com", port: 80, isAllowed: false, count: 2 },
      ];
      expect(await (await sandbox("GET")).json()).toEqual({ running: true, network: listed, seen });
    });
  });
});

test.each([
  ["hosts", listed],
  ["closed", closed],
])("in the mode %s, the service is reached at its paths for sandboxes", async (_, network) => {
  await whereHeld(network, async () => {
    const base = `http://127.0.0.1:${getPort(service)}`;
    const answers = await inside(`
      const asked = ["/api/meta", "/internal/tools", "/dev/sign-in", "/"].map((path) => fetch(${JSON.stringify(base)} + path));
      return (await Promise.all(asked)).map(({ status }) => status);`);
    expect(answers).toEqual([200, 200, 404, 404]);
  });
});

test("a closed sandbox has its requests refused immediately, by the host's name", async () => {
  await whereHeld(closed, async () => {
    const named = "Object.keys(process.env).filter((name) => /proxy/i.test(name)).length > 0";
    expect(await inside(`return [await connected(3128), ${named}];`)).toEqual(["connected", true]);
    expect(await proxied(get("http://else.example.com/", "x"))).toMatch(/ 403 .*may not reach else\.example\.com\./s);
  });
});

test("a name that resolves to this machine is not connected to", async () => {
  const socket = createHostConnection("localhost", getPort(web), {});
  const [error] = await once(socket, "error");
  expect(error).toMatchObject({ message: "localhost has no address of the internet." });
});

test("where nothing holds a sandbox to a network, none starts with one", async () => {
  const [before] = [host];
  host = await openHost(noIsolation);
  try {
    await showNoneStarts(listed);
    await showNoneStarts(closed);
  } finally {
    await host.close();
    host = before;
  }
});
