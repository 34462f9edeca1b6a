// Clients without a credential are distinguished by their address.
import { expect, it } from "vitest";
import { getClientAddress } from "../../../src/http/rate-limit.ts";

const client = (address?: string) =>
  getClientAddress(new Headers(address === undefined ? {} : { "cf-connecting-ip": address }));

it("two addresses are two clients", () => {
  expect(client("192.0.2.1")).toBe("192.0.2.1");
  expect(client("192.0.2.1")).not.toBe(client("192.0.2.2"));
});

it.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:db8::1:2:3:4:5", "2001:db8:0:1::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
])("all addresses of an IPv6 network are one: %s", (address, network) => {
  expect(client(address)).toBe(network);
});

it("all requests without an address are one client", () => {
  expect(client()).toBe(client(""));
});
