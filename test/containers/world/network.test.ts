// What a shell in a container reaches: no other container, and of this machine the API and the
// endpoints for sandboxes.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getNetworkName } from "../../../practice/container-engine/network.ts";
import { programPort } from "../../../src/sandbox/rules/program-version.ts";
import type { OpenedSession } from "../../support/client.ts";
import { type ContainerWorld, startContainerWorld } from "../support/container-world.ts";

/** The port of a way in, by which the runtime reaches every port of its container. */
const wayInPort = 39001;

let containers: ContainerWorld;
let session: OpenedSession;
let own: Place;
let other: Place;
/** The service, as containers reach it. */
let service: URL;

interface Place {
  network: string;
  address: string;
  /** Where the way in is published on this machine. */
  published: { HostIp: string; HostPort: string }[];
}

beforeAll(async () => {
  containers = await startContainerWorld();
  session = await containers.openSession();
  own = await readPlace(session);
  other = await readPlace(await containers.openSession());
  service = new URL(await inShell("echo $SWITCHYARD_API_URL"));
});
afterAll(async () => containers?.remove());

const inShell = (command: string) => containers.readOutput(session, command);

async function readPlace(one: OpenedSession): Promise<Place> {
  const { docker, id } = await containers.findContainer(one);
  const mode = await docker("inspect", "--format", "{{.HostConfig.NetworkMode}}", id);
  const wayIn = mode.trim().replace("container:", "");
  const { Networks, Ports } = JSON.parse(await docker("inspect", "--format", "{{json .NetworkSettings}}", wayIn));
  const [network = ""] = Object.keys(Networks);
  return { network, address: Networks[network].IPAddress, published: Ports[`${wayInPort}/tcp`] };
}

/** The status of each answer, `000` where there is no connection. */
async function readStatuses(...asked: string[]): Promise<string[]> {
  const curl = "curl --silent --max-time 3 --output /dev/null --write-out '%{http_code}\\n'";
  return (await inShell(`${asked.map((one) => `${curl} ${one}`).join("; ")}; true`)).trim().split("\n");
}

const ownNetwork = () => getNetworkName(`${containers.world.stateDir}/cloudflare`);

test("the containers of a world are in a network of its own", () => {
  expect([own.network, other.network]).toEqual([ownNetwork(), ownNetwork()]);
});

test("a shell in a container reaches no other container, at none of its ports", async () => {
  const ports = [programPort, wayInPort];
  const at = (address: string) => ports.map((port) => `http://${address}:${port}/ping`);
  for (const url of at(other.address)) expect((await fetch(url)).status).toBeGreaterThanOrEqual(200);
  expect(await readStatuses(...at(own.address))).not.toContain("000");
  expect(await readStatuses(...at(other.address))).toEqual(["000", "000"]);
  expect(other.published.map(({ HostIp }) => HostIp)).toEqual(["127.0.0.1"]);
  expect(await readStatuses(`http://${service.hostname}:${other.published[0]?.HostPort}/ping`)).toEqual(["000"]);
});

test("a container has no address of IPv6 but its loopback, by which it would reach others", async () => {
  const interfaces = (await inShell("cat /proc/net/if_inet6")).trim().split("\n");
  expect(interfaces.map((line) => line.split(/\s+/).at(-1))).toEqual(["lo"]);
});

test("of all that listens on this machine, a shell in a container reaches the way out to the service", async () => {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8")));
  const listening = tables.join("\n").matchAll(/^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) \S+ 0A /gm);
  const { docker } = await containers.findContainer(session);
  // The driver's tests leave ports open in the engine's default network, published on all
  // addresses.
  const left = (await docker("ps", "--filter", "network=bridge", "--format", "{{.Ports}}")).matchAll(/:(\d+)->/g);
  const foreign = [...left].map(([, port]) => Number(port));
  const all = [...listening].map(([, port]) => Number.parseInt(port ?? "", 16));
  const ports = [...new Set(all)].filter((port) => !foreign.includes(port));
  const { baseUrl, forgeUrl, providerUrl, pushUrl } = containers.world.address();
  for (const url of [baseUrl, forgeUrl, providerUrl, pushUrl]) expect(ports).toContain(Number(new URL(url).port));
  const tried = `for port in ${ports.join(" ")}; do (exec 3<> /dev/tcp/${service.hostname}/$port) 2> /dev/null && echo $port; done; true`;
  expect(await inShell(tried)).toBe(`${service.port}\n`);
});

test("there it reaches the API, and nothing that `npm start` or the runtime offers to its person", async () => {
  const { baseUrl } = containers.world.address();
  const signIn = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  expect((await fetch(`${baseUrl}/dev/sign-in`, signIn)).status).not.toBe(404);
  const post = "--request POST --header 'content-type: application/json' --data '{}'";
  const refused = [
    `${post} ${service.origin}/dev/sign-in`,
    `${post} ${service.origin}//dev/sign-in`,
    `${post} --path-as-is ${service.origin}/api/../dev/sign-in`,
    `${post} --path-as-is ${service.origin}/api/%2e%2e/dev/sign-in`,
    `${post} --request-target ${baseUrl}/dev/sign-in ${service.origin}`,
    `${post} --header 'mf-original-url: ${baseUrl}/dev/sign-in' ${service.origin}/dev/sign-in`,
    `${service.origin}/`,
    `${service.origin}/account`,
    `${service.origin}/cdn-cgi/local/explorer`,
  ];
  expect(await readStatuses(...refused)).toEqual(refused.map(() => "404"));
  const key = '--header "authorization: Bearer $SWITCHYARD_API_TOKEN"';
  expect(
    await readStatuses(`${service.origin}/api/meta`, `${key} ${service.origin}/api/projects/$SWITCHYARD_PROJECT_ID`),
  ).toEqual(["200", "200"]);
});

test("the network is gone when the service has ended", async () => {
  const { docker } = await containers.findContainer(session);
  const names = () => docker("network", "ls", "--format", "{{.Name}}");
  expect(await names()).toContain(ownNetwork());
  expect((await containers.end()).exitCode).toBe(0);
  expect(await names()).not.toContain(ownNetwork());
});
