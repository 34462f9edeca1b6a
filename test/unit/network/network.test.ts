import { describe, expect, it } from "vitest";
import {
  isSameNetwork,
  type Network,
  type NetworkMode,
  openNetwork,
  openWorkspaceNetwork,
  toNetworkInForce,
} from "../../../src/network/rules/network.ts";

const some: Network = { mode: "hosts", presets: ["pypi"], hosts: ["Bücher.de", "pypi.org"], strict: false };
const closed: Network = { ...openNetwork, mode: "closed" };
const listOfSome = ["files.pythonhosted.org", "pypi.org", "xn--bcher-kva.de"];

describe("the network in force", () => {
  it.each<[project: Network | null, byDefault: Network, ceiling: NetworkMode, mode: NetworkMode, hosts: string[]]>([
    [null, openNetwork, "open", "open", []],
    [null, some, "open", "hosts", listOfSome],
    [openNetwork, some, "open", "open", []],
    [some, openNetwork, "open", "hosts", listOfSome],
    [closed, some, "open", "closed", []],
    [some, openNetwork, "closed", "closed", []],
    [closed, openNetwork, "hosts", "closed", []],
    [openNetwork, some, "hosts", "hosts", listOfSome],
    [openNetwork, openNetwork, "hosts", "hosts", []],
    [null, openNetwork, "closed", "closed", []],
  ])("of %j, by default %j, under %s", (project, byDefault, ceiling, mode, hosts) => {
    const workspace = { default: byDefault, ceiling };
    expect(toNetworkInForce(project, workspace)).toEqual({ mode, hosts, strict: false });
  });
});

it("the order and the spelling of hosts make no difference", () => {
  const [one, other] = [
    ["a.example.com", "b.example.com"],
    ["B.example.com.", "a.example.com", "a.example.com"],
  ].map((hosts) => toNetworkInForce({ ...some, presets: [], hosts }, openWorkspaceNetwork));
  expect(one && other && isSameNetwork(one, other)).toBe(true);
});

it.each<[network: Network, hosts: string[], isKept: boolean]>([
  [openNetwork, ["api.example.com"], true],
  [some, ["api.example.com"], true],
  [openNetwork, [], false],
  [closed, ["api.example.com"], false],
])("secrets of %j for %j are in force: %s", (network, hosts, isKept) => {
  const secrets = { projectId: "p", hosts };
  const inForce = toNetworkInForce(network, openWorkspaceNetwork, secrets);
  expect(inForce).toEqual({ ...toNetworkInForce(network, openWorkspaceNetwork), ...(isKept && { secrets }) });
});
