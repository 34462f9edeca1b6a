// What the commands of an operator say of an address, and of a call without an answer.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { serviceAddress, statusOf, whyOf } from "../../operate/outside.ts";

it("takes an address with what stands behind its host, and names what is none", () => {
  expect(serviceAddress(".", "http://localhost:8787/")).toBe("http://localhost:8787");
  for (const given of ["localhost:8787", "api.trains.test"])
    expect(() => serviceAddress(".", given)).toThrow(`SERVICE_URL is no address: ${given}.`);
});

it("opens a preview of this machine, whose name no resolver may know", async () => {
  const hosts: unknown[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host);
    response.writeHead(302, { location: "/" }).end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const host = `web--s1.preview.localhost:${(server.address() as AddressInfo).port}`;
  expect([await statusOf(`http://${host}/?a=b`), hosts]).toEqual([302, [host]]);
  await new Promise((closed) => server.close(closed));
  await expect(statusOf(`http://${host}/`)).rejects.toThrow("ECONNREFUSED");
});

it.each<[string, unknown]>([
  ["no answer in time", new DOMException("The operation was aborted due to timeout", "TimeoutError")],
  ["connect refused", new TypeError("fetch failed", { cause: new Error("connect refused") })],
  [
    "ECONNREFUSED",
    new TypeError("fetch failed", { cause: Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }) }),
  ],
])("says %s", (reason, error) => {
  expect(whyOf(error)).toBe(reason);
});
