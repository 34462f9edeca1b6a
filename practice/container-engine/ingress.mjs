// The sidecar of a container: workerd starts it, and the container shares its network. It is the
// way to the container's ports, and holds the container to its network. It replaces Cloudflare's
// own image, which comes from a registry. Plain JavaScript, because it runs in a separate image.
import { execFile, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { request as callHttp, createServer } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { argv, env } from "node:process";
import { createSecureContext, createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";

const run = promisify(execFile);

const address = argv[argv.indexOf("--http-ingress-address") + 1] ?? "0.0.0.0:39001";
const ownPort = Number(address.slice(address.lastIndexOf(":") + 1));
// As on the platform, a container is reached at an address of its network, not at its loopback.
const target = networkInterfaces().eth0?.find(({ family }) => family === "IPv4")?.address ?? "127.0.0.1";

/** Where the service of this machine and the relay to workerd listen, as `address:port`. */
const { SERVICE: service = "", EGRESS_RELAY: relay = "", EGRESS_SECRET: secret = "" } = env;
const [relayHost, relayPort] = relay.split(":");
/** The address of every name that resolves. Nothing has it. */
const anyAddress = "198.18.0.1";
const ports = { http: 39_080, https: 39_443, dns: 39_053 };
const headBytes = 64 * 1_024;
const table = "switchyard";

/**
 * What workerd asks for: where it listens, and the names whose requests it decides about. In an
 * open network, all other names resolve as usual.
 */
let egress = { port: 0, names: [], isHeld: false };

// workerd checks whether it runs, configures outgoing traffic, and fetches a certificate.
createServer(async (request, response) => {
  try {
    const body = await readText(request);
    // The container's own processes share this network, and must not change what holds them.
    if (isInside(request.socket)) return void response.writeHead(403).end();
    if (request.method === "PUT" && request.url === "/egress") await configure(JSON.parse(body));
    response.end(request.url === "/ca" ? (await authority()).certificate : "{}");
  } catch (error) {
    response.writeHead(500).end(error.message);
  }
})
  .on("connect", (request, socket, head) => {
    const asked = String(request.headers["x-dst-addr"] ?? request.url);
    const other = connect(Number(asked.slice(asked.lastIndexOf(":") + 1)), target);
    const refuse = ({ message }) =>
      socket.end(`HTTP/1.1 400 Bad Request\r\ncontent-length: ${message.length}\r\n\r\n${message}`);
    other.once("error", refuse);
    other.once("connect", () => {
      other.off("error", refuse);
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      if (head.length > 0) other.write(head);
      joinSockets(socket, other);
    });
    socket.on("error", () => other.destroy());
  })
  .listen(ownPort, "0.0.0.0");

const isInside = ({ remoteAddress = "" }) =>
  remoteAddress.endsWith(target) || remoteAddress.includes("127.") || remoteAddress === "::1";

/** Takes a call of workerd. One with only a port comes after a restart of workerd. */
async function configure({ port, dns, internet }) {
  egress = { ...egress, port: Number(port), names: dns?.allowHostnames ?? egress.names };
  if (internet === undefined || relay === "") return;
  const isHeld = internet.enabled !== true;
  egress.isHeld = isHeld;
  const { stdin, ended } = start("nft", ["-f", "-"]);
  stdin.end(`table inet ${table}\ndelete table inet ${table}\n${rules(isHeld)}`);
  await ended;
}

/**
 * What is not root, and so not this program, reaches the service, this program and the container's
 * own ports. Docker's own rule for names comes after ours.
 */
function rules(isHeld) {
  const [host, port] = service.split(":");
  const own = `
  chain own {
    type filter hook output priority -10;
    meta skuid 0 accept
    tcp dport ${ownPort} reject with tcp reset
    ip daddr ${relayHost} tcp dport ${relayPort} reject with tcp reset
  }`;
  if (!isHeld) {
    return `table inet ${table} {${own}
  chain lead {
    type nat hook output priority -150;
    meta skuid 0 return
    meta nfproto ipv6 return
    udp dport 53 redirect to :${ports.dns}
    ip daddr ${anyAddress} tcp dport 443 redirect to :${ports.https}
  }
}
`;
  }
  return `table inet ${table} {${own}
  chain lead {
    type nat hook output priority -150;
    meta skuid 0 return
    meta nfproto ipv6 return
    udp dport 53 redirect to :${ports.dns}
    ip daddr { 127.0.0.0/8, ${target} } return
    tcp dport 80 redirect to :${ports.http}
    tcp dport 443 redirect to :${ports.https}
  }
  chain hold {
    type filter hook output priority 0;
    meta skuid 0 accept
    oifname "lo" accept
    ip daddr 127.0.0.0/8 accept
    ct state established accept
    ip daddr ${host} tcp dport ${port} accept
    meta l4proto tcp reject with tcp reset
    reject
  }
}
`;
}

/** Opens a tunnel to workerd for a host. Null if nothing of it is caught. */
function openTunnel(port, headers) {
  return new Promise((resolve, reject) => {
    const own = { "x-egress-port": egress.port, "x-egress-secret": secret };
    callHttp({
      host: relayHost,
      port: relayPort,
      method: "CONNECT",
      path: `${anyAddress}:${port}`,
      headers: { ...headers, ...own },
    })
      .once("connect", ({ statusCode }, socket, head) => {
        if (statusCode !== 200) return resolve(void socket.destroy() ?? null);
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      })
      .once("response", ({ statusCode }) => reject(new Error(`The relay answered ${statusCode}.`)))
      .once("error", reject)
      .end();
  });
}

createTcpServer((socket) => {
  socket.on("error", () => socket.destroy());
  let head = Buffer.alloc(0);
  socket.on("data", async function read(bytes) {
    head = Buffer.concat([head, bytes]);
    const host = /\r\nhost:[ \t]*([^\r\n]*?)[ \t]*\r\n/i.exec(head.toString("latin1"))?.[1];
    if (host === undefined && head.length < headBytes && !head.includes("\r\n\r\n")) return;
    socket.off("data", read).pause();
    if (host === undefined) return socket.end("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
    socket.unshift(head);
    const tunnel = await openTunnel(80, { "x-hostname": host }).catch(() => undefined);
    if (tunnel) return joinSockets(socket, tunnel);
    const said = `Switchyard: this project's sandboxes may not reach ${host}. A member can add it to the project's network.\n`;
    const status = tunnel === null ? "403 Forbidden" : "502 Bad Gateway";
    socket.end(`HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(said)}\r\nconnection: close\r\n\r\n${said}`);
  });
}).listen(ports.http, "127.0.0.1");

createTlsServer({ ALPNProtocols: ["http/1.1"], SNICallback: withCertificate }, async (socket) => {
  socket.on("error", () => socket.destroy());
  const tunnel = await openTunnel(443, { "x-tls-sni": socket.servername }).catch(() => null);
  if (tunnel) joinSockets(socket, tunnel);
  else socket.destroy();
})
  .on("tlsClientError", () => {})
  .listen(ports.https, "127.0.0.1");

/** Answers each name that workerd decides about with the same address. */
const names = createSocket("udp4");
names.on("message", (query, { port, address }) => {
  const answer = toAnswer(query);
  if (answer) names.send(answer, port, address);
  else if (answer === undefined) askResolver(query, (other) => names.send(other, port, address));
});
names.bind(ports.dns, "127.0.0.1");

const resolver =
  /^nameserver (\d+\.\d+\.\d+\.\d+)$/m.exec(readFileSync("/etc/resolv.conf", "utf8"))?.[1] ?? "127.0.0.11";
const resolveMs = 10_000;

/** Asks the engine's resolver, as a process of the container would by itself. */
function askResolver(query, onAnswer) {
  const socket = createSocket("udp4");
  const close = setTimeout(() => socket.close(), resolveMs);
  socket.once("error", () => {});
  socket.once("message", (answer) => {
    onAnswer(answer);
    clearTimeout(close);
    socket.close();
  });
  socket.send(query, 53, resolver);
}

/** Null for what is no query, and undefined for a name that the engine's resolver knows. */
function toAnswer(query) {
  const labels = [];
  let at = 12;
  while (query[at] > 0 && query[at] < 64) {
    labels.push(query.toString("latin1", at + 1, at + 1 + query[at]));
    at += 1 + query[at];
  }
  if (query.length < at + 5 || query[at] !== 0) return null;
  const question = query.subarray(12, at + 5);
  const type = query.readUInt16BE(at + 1);
  const isKnown = egress.names.some((pattern) => isMatch(pattern, labels.join(".").toLowerCase()));
  if (!isKnown && !egress.isHeld) return undefined;
  const isAnswered = isKnown && type === 1;
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(isAnswered ? 1 : 0, 6);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...anyAddress.split(".").map(Number)]);
  return Buffer.concat([head, question, ...(isAnswered ? [record] : [])]);
}

function isMatch(pattern, name) {
  const parts = pattern.split("*").map((part) => part.replace(/[^\w-]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}

let made = null;

/** The certificates of this container, with which https is opened on its way. */
function authority() {
  made ??= makeAuthority();
  return made;
}

async function makeAuthority() {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  const [authorityKey, certificate, leafKey] = ["ca.key", "ca.crt", "leaf.key"].map((name) => join(folder, name));
  const newKey = (file) => run("openssl", ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", file]);
  await Promise.all([newKey(authorityKey), newKey(leafKey)]);
  const subject = ["-subj", "/CN=Switchyard, for this container only", "-days", "3650"];
  await run("openssl", ["req", "-x509", "-new", "-key", authorityKey, ...subject, "-out", certificate]);
  return {
    folder,
    authorityKey,
    certificateFile: certificate,
    leafKey,
    certificate: readFileSync(certificate, "utf8"),
  };
}

const contexts = new Map();
const mostContexts = 1_000;

function withCertificate(name, done) {
  if (contexts.size > mostContexts) contexts.clear();
  const context = contexts.get(name) ?? makeContext(name);
  contexts.set(name, context);
  context.then(
    (made) => done(null, made),
    (error) => done(error),
  );
}

let serial = Date.now();

async function makeContext(name) {
  if (!/^[\w.-]{1,253}$/.test(name)) throw new Error("This is no name of a host.");
  const { folder, authorityKey, certificateFile, leafKey, certificate } = await authority();
  const extensions = join(folder, `${++serial}.ext`);
  writeFileSync(extensions, `subjectAltName=DNS:${name}\nextendedKeyUsage=serverAuth\n`);
  const requested = join(folder, `${serial}.csr`);
  await run("openssl", ["req", "-new", "-key", leafKey, "-subj", "/CN=sandbox", "-out", requested]);
  const signing = ["-CA", certificateFile, "-CAkey", authorityKey, "-set_serial", String(serial), "-days", "365"];
  const { stdout } = await run("openssl", ["x509", "-req", "-in", requested, ...signing, "-extfile", extensions]);
  return createSecureContext({ key: readFileSync(leafKey), cert: stdout + certificate });
}

/** Forwards data and its end in both directions. A connection that breaks breaks the other one. */
function joinSockets(socket, other) {
  socket.pipe(other).pipe(socket);
  other.on("error", () => socket.destroy());
  socket.on("close", () => other.destroy());
  other.on("close", () => (socket.destroySoon ? socket.destroySoon() : socket.end()));
}

function start(file, args) {
  const child = spawn(file, args, { stdio: ["pipe", "inherit", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`${file}: ${said}`))));
  });
  return { stdin: child.stdin, ended };
}

async function readText(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
