import { describe, expect, it } from "vitest";
import { isPublicAddress } from "../../../src/network/rules/address.ts";
import { formatRefusedHost, toVerdict } from "../../../src/network/rules/decide.ts";
import type { NetworkInForce } from "../../../src/network/rules/network.ts";

const hosts = ["*.example.org", "example.com", "plain.example.net:80", "xn--bcher-kva.de"];
const listed: NetworkInForce = { mode: "hosts", hosts, strict: false };

function getOutcome(network: NetworkInForce, address: string): string {
  const verdict = toVerdict(network, new URL(address));
  return verdict.type === "refuse" ? `refuse ${verdict.reason}` : verdict.type;
}

describe("a request of a sandbox that is held to some hosts", () => {
  it.each([
    ["https://example.com/", "allow"],
    ["http://EXAMPLE.com./path?query", "allow"],
    ["https://a.example.org/", "allow"],
    ["https://bücher.de/", "allow"],
    ["http://plain.example.net/", "allow"],
    ["https://plain.example.net/", "refuse host"],
    ["https://example.org/", "refuse host"],
    ["https://other.example.com/", "refuse host"],
    ["https://example.com:8443/", "refuse port"],
    ["http://example.com:443/", "refuse port"],
    ["https://example.com:80/", "refuse port"],
    ["https://me@example.com/", "refuse user"],
    ["http://127.0.0.1/", "refuse address"],
    ["http://0x7f.1/", "refuse address"],
    ["http://2130706433/", "refuse address"],
    ["http://[::1]/", "refuse address"],
    ["http://service.internal/internal/turn-link", "service"],
    ["http://service.internal:8080/", "refuse port"],
    ["https://service.internal/", "refuse port"],
    ["http://a.service.internal/", "refuse host"],
  ])("%s: %s", (address, outcome) => {
    expect(getOutcome(listed, address)).toBe(outcome);
  });
});

it.each(["open", "closed"] as const)("in the mode %s, only the service is reached this way", (mode) => {
  const network: NetworkInForce = { mode, hosts: [], strict: false };
  expect(getOutcome(network, "https://example.com/")).toBe("refuse host");
  expect(getOutcome(network, "http://service.internal/api/meta")).toBe("service");
});

it("a refusal says what is not reached, and who can change it", () => {
  const verdict = toVerdict(listed, new URL("https://else.example/"));
  expect(verdict.type === "refuse" && formatRefusedHost(verdict)).toBe(
    "Switchyard: this project's sandboxes may not reach else.example. A member can add it to the project's network.",
  );
});

describe("an address of the internet", () => {
  it.each([
    ["93.184.216.34", true],
    ["203.0.113.7", true],
    ["172.32.0.1", true],
    ["2606:2800:220:1::1", true],
    ["2001:db8::1", true],
    ["::ffff:93.184.216.34", true],
    ["0.0.0.0", false],
    ["10.1.2.3", false],
    ["100.64.0.1", false],
    ["127.8.0.1", false],
    ["169.254.169.254", false],
    ["172.16.0.1", false],
    ["172.31.255.255", false],
    ["192.168.1.1", false],
    ["224.0.0.1", false],
    ["255.255.255.255", false],
    ["::", false],
    ["::1", false],
    ["::7f00:1", false],
    ["::ffff:127.0.0.1", false],
    ["::ffff:a00:1", false],
    ["64:ff9b::10.0.0.1", false],
    ["2002:7f00:1::", false],
    ["fe80::1%eth0", false],
    ["fd00::1", false],
    ["ff02::1", false],
    ["example.com", false],
  ])("%s: %s", (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic);
  });
});
