// Visitors are told apart by the address that they come from.
import { expect, it } from "vitest";
import { visitorOf } from "../../src/http/visitor.ts";

const visitor = (address?: string) =>
  visitorOf(new Headers(address === undefined ? {} : { "cf-connecting-ip": address }));

it("two addresses are two visitors", () => {
  expect(visitor("192.0.2.1")).toBe("192.0.2.1");
  expect(visitor("192.0.2.1")).not.toBe(visitor("192.0.2.2"));
});

it.each([
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:db8::1:2:3:4:5", "2001:db8:0:1::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
])("all addresses of an IPv6 network are one: %s", (address, network) => {
  expect(visitor(address)).toBe(network);
});

it("who comes without an address is one visitor with all others who do", () => {
  expect(visitor()).toBe(visitor(""));
});
