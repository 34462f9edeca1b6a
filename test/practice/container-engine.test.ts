// The container engine of `npm start -- --containers`: what it says where there is none, and the
// network that containers get.
import { expect, test } from "vitest";
import { findEngine } from "../../practice/container-engine/engine.ts";
import { createNetwork, getNetworkName } from "../../practice/container-engine/network.ts";

test.each([
  [
    { socket: "unix:///nowhere/docker.sock", client: "/nowhere/docker" },
    "No container engine answers at unix:///nowhere",
  ],
  [
    { socket: "tcp://10.0.0.1:2375", client: "docker" },
    "DOCKER_HOST has to be the socket of an engine on this machine",
  ],
])("%j is refused in one line that says what to do", async (settings, message) => {
  const refusal = await findEngine(settings);
  expect(refusal).toContain(message);
  expect(refusal).not.toContain("\n");
});

const closed = {
  "com.docker.network.bridge.enable_icc": "false",
  "com.docker.network.bridge.host_binding_ipv4": "127.0.0.1",
};
const name = getNetworkName("/state/cloudflare");

/** An engine that has, or makes, the network with these options. */
function engineWith({ has, makes = closed, gateway = "127.0.0.1" }: EngineState) {
  const calls: string[] = [];
  let options: object | null = has;
  return {
    calls,
    async docker(...args: string[]) {
      const [, command] = args;
      if (command === "ls") return `bridge\n${options ? `${name}\n` : ""}`;
      if (command === "inspect") {
        return JSON.stringify([{ Options: options, IPAM: { Config: [{ Subnet: "127.0.0.0/8", Gateway: gateway }] } }]);
      }
      if (command === "create") options = makes;
      if (command === "rm") options = null;
      calls.push(args.join(" "));
      return "";
    },
  };
}

interface EngineState {
  has: object | null;
  makes?: object;
  gateway?: string;
}

const made = [
  "network create --driver bridge --ipv6=false --opt com.docker.network.bridge.enable_icc=false",
  `--opt com.docker.network.bridge.host_binding_ipv4=127.0.0.1 ${name}`,
].join(" ");

test.each([
  ["no network", null, ["end", made]],
  ["the network of an earlier run", closed, []],
  ["a network of this name in which containers reach each other", {}, ["end", `network rm ${name}`, made]],
  [
    "a network of this name whose ports other containers reach",
    { ...closed, "com.docker.network.bridge.host_binding_ipv4": "0.0.0.0" },
    ["end", `network rm ${name}`, made],
  ],
])("with %s, containers get one without traffic between them", async (_, has, calls) => {
  const engine = engineWith({ has });
  const network = await createNetwork(engine, { name, endContainers: async () => void engine.calls.push("end") });
  expect(network).toEqual({ name, subnet: "127.0.0.0/8", gateway: "127.0.0.1" });
  expect(engine.calls).toEqual(calls);
});

test.each([
  [{ has: null, makes: {} }, "in which containers reach each other"],
  [{ has: closed, gateway: "192.0.2.1" }, "Containers do not reach this machine"],
])("an engine with %j is refused", async (state, message) => {
  const opening = createNetwork(engineWith(state), { name, endContainers: async () => {} });
  await expect(opening).rejects.toThrow(message);
});
