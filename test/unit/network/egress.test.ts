// What the platform catches of a container's requests, and what the container is started with.
import { describe, expect, it } from "vitest";
import { listCaught, toContainerVariables, toEgressProps } from "../../../src/network/rules/egress.ts";
import { type NetworkInForce, openInForce } from "../../../src/network/rules/network.ts";

const hosts = ["*.example.org", "example.com", "plain.example.net:80", "safe.example.net:443"];
const listed: NetworkInForce = { mode: "hosts", hosts, strict: false };
const closed: NetworkInForce = { ...openInForce, mode: "closed" };
const secrets = { projectId: "p", hosts: ["api.example.com"] };

describe("what is caught beside the service", () => {
  it.each<[string, NetworkInForce, ReturnType<typeof listCaught>]>([
    ["open", openInForce, { http: [], isAllHttp: false, https: [] }],
    ["open with a secret", { ...openInForce, secrets }, { http: [], isAllHttp: false, https: ["api.example.com"] }],
    ["closed", closed, { http: [], isAllHttp: false, https: [] }],
    ["some hosts", listed, { http: [], isAllHttp: true, https: ["*"] }],
    [
      "some hosts, strictly",
      { ...listed, strict: true },
      {
        http: ["*.example.org", "example.com", "plain.example.net"],
        isAllHttp: false,
        https: ["*.example.org", "example.com", "safe.example.net"],
      },
    ],
    [
      "some hosts, strictly, with a secret for another",
      { ...openInForce, mode: "hosts", hosts: ["example.com"], strict: true, secrets },
      { http: ["example.com"], isAllHttp: false, https: ["example.com"] },
    ],
  ])("of %s", (_, network, caught) => {
    expect(listCaught(network)).toEqual(caught);
  });
});

it("the package checks the same hosts once more, and never lets a request through by itself", () => {
  const name = { containerId: "id", container: { sandboxKey: "s1", generation: 2 } };
  expect(toEgressProps(name, listed)).toMatchObject({
    enableInternet: false,
    interceptAll: true,
    allowedHosts: ["*.example.org", "example.com", "plain.example.net", "safe.example.net"],
    container: name.container,
    network: listed,
  });
  expect(toEgressProps(name, openInForce).allowedHosts).toEqual([]);
  expect(toEgressProps(name, { ...openInForce, secrets }).allowedHosts).toEqual(["api.example.com"]);
});

describe("a container is started", () => {
  it("with nothing but its secret if it reaches everything", () => {
    expect(toContainerVariables(openInForce)).toEqual({});
  });

  it("with the rule that its agent reads if it reaches only the service", () => {
    expect(toContainerVariables(closed)).toEqual({
      SANDBOX_NETWORK: "closed",
      SANDBOX_NETWORK_RULE: expect.stringContaining("reaches no host but Switchyard"),
    });
  });

  it("with variables for certificates, too, if https is opened on its way", () => {
    const { SANDBOX_COMMAND_ENV, ...others } = toContainerVariables(listed);
    expect(others).toEqual({
      SANDBOX_NETWORK: "hosts",
      SANDBOX_OPENS_HTTPS: "1",
      SANDBOX_NETWORK_RULE: expect.stringMatching(/only these hosts: \*\.example\.org, .* at port 443\. Others/),
    });
    const variables = JSON.parse(SANDBOX_COMMAND_ENV ?? "{}");
    expect(Object.keys(variables)).toContain("NODE_EXTRA_CA_CERTS");
    expect(new Set(Object.values(variables))).toEqual(new Set(["/etc/ssl/certs/ca-certificates.crt"]));
  });
});
