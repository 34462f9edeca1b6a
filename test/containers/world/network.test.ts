// What a shell in a container reaches: no other container, and of this machine the API and the
// endpoints for sandboxes.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
  // The sidecar's port is closed to the container itself, which must not change what holds it.
  expect(await readStatuses(...at(own.address))).toEqual(["401", "000"]);
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

describe("a sandbox whose project has another network", () => {
  const projectPath = () => `/api/projects/${containers.world.address().projectId}/network`;
  const setNetwork = async (network: object) => {
    const { status, body } = await containers.owner.put(projectPath(), network);
    expect({ status, body }).toMatchObject({ status: 200 });
  };
  const get = (url: string) => `curl --silent --show-error --max-time 20 --write-out ' %{http_code}\\n' ${url} 2>&1`;

  test("reaches listed hosts by http and https, the service, and nothing else", async () => {
    await setNetwork({ mode: "hosts", hosts: ["allowed.example.test"] });
    const held = await containers.openSession();
    const shell = (command: string) => containers.readOutput(held, `${command}; true`);
    expect(await shell([get("http://allowed.example.test/"), get("https://allowed.example.test/")].join("; "))).toBe(
      "Switchyard: allowed.example.test did not answer.\n 502\n".repeat(2),
    );
    const refused = await shell([get("http://other.example.test/"), get("https://other.example.test/")].join("; "));
    expect(refused.match(/may not reach other\.example\.test\..*\n 403/g)).toHaveLength(2);
    expect(await shell(get("http://10.0.0.1/"))).toContain("may not reach the address 10.0.0.1");
    expect(await shell(get("http://service.internal/api/meta"))).toMatch(/ 200\n$/);
    expect(await shell(get("http://service.internal/account"))).toMatch(/ 404\n$/);
    expect(await shell(get("$SWITCHYARD_API_URL/api/meta"))).toMatch(/ 200\n$/);
    const gateway = service.hostname;
    const tries = [`${gateway}/22`, "198.18.0.1/5432", "1.1.1.1/53", "127.0.0.1/39001"];
    const opened = tries.map((place) => `timeout 3 bash -c '< /dev/tcp/${place}' 2> /dev/null && echo ${place}`);
    expect(await shell(`${opened.join("; ")}; echo tried`)).toBe("tried\n");
    expect((await containers.owner.get(projectPath())).body.data).toMatchObject({
      isEnforced: true,
      seen: expect.arrayContaining([
        expect.objectContaining({ host: "allowed.example.test", isAllowed: true }),
        expect.objectContaining({ host: "other.example.test", isAllowed: false }),
      ]),
    });
  });

  test("that is closed runs a turn, and reaches only the service", async () => {
    await setNetwork({ mode: "closed" });
    const held = await containers.openSession();
    const shell = (command: string) => containers.readOutput(held, `${command}; true`);
    expect(await shell(get("http://service.internal/api/meta"))).toMatch(/ 200\n$/);
    expect(await shell(get("https://other.example.test/"))).toContain("Could not resolve host");
    await setNetwork({ mode: "open" });
  });

  test("that is open has its requests opened only to the hosts of its secrets", async () => {
    const secrets = `${projectPath()}/secrets`;
    const set = await containers.owner.put(`${secrets}/API_KEY`, { value: "the-value", onlyTo: ["held.example.test"] });
    expect(set).toMatchObject({ status: 200, body: { data: { name: "API_KEY" } } });
    const { placeholder } = set.body.data;
    expect((await containers.owner.get(secrets)).body.meta).toEqual({ isEnforced: true });
    const held = await containers.openSession();
    const shell = (command: string) => containers.readOutput(held, `${command}; true`);
    // A transcript shows no variable of the project, so its length is compared.
    expect(await shell("printf %s $API_KEY | wc -c")).toBe(`${placeholder.length}\n`);
    expect(await shell("cat /proc/*/environ 2> /dev/null | grep --text -c the-value")).toBe("0\n");
    // It is opened, and the service decides: nothing answers at the name itself.
    expect(await shell(get("https://held.example.test/"))).toBe(
      "Switchyard: held.example.test did not answer.\n 502\n",
    );
    // Every other name is as in any open network, and the engine's resolver is still asked.
    expect(await shell(get("https://other.example.test/"))).toContain("Could not resolve host");
    const { docker, id } = await containers.findContainer(held);
    const mode = await docker("inspect", "--format", "{{.HostConfig.NetworkMode}}", id);
    // The engine's resolver knows a container by the beginning of its id.
    const name = mode.trim().replace("container:", "").slice(0, 12);
    expect(await shell(`getent hosts ${name}`)).toContain(name);
    expect((await containers.owner.delete(`${secrets}/API_KEY`)).status).toBe(204);
  });
});

test("the network is gone when the service has ended", async () => {
  const { docker } = await containers.findContainer(session);
  const names = () => docker("network", "ls", "--format", "{{.Name}}");
  expect(await names()).toContain(ownNetwork());
  expect((await containers.end()).exitCode).toBe(0);
  expect(await names()).not.toContain(ownNetwork());
});
