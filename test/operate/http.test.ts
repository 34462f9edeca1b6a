// What the commands of an operator print about an address, and about a call without a response.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { getCause, getServiceAddress, readStatus } from "../../operate/lib/http.ts";

it("accepts an address with a path after its host, and names what is no address", () => {
  expect(getServiceAddress(".", "http://localhost:8787/")).toBe("http://localhost:8787");
  for (const given of ["localhost:8787", "api.trains.test"])
    expect(() => getServiceAddress(".", given)).toThrow(`SERVICE_URL is not an address: ${given}.`);
});

it("opens a preview of this machine, even if no resolver knows its name", async () => {
  const hosts: unknown[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host);
    response.writeHead(302, { location: "/" }).end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const host = `web--s1.preview.localhost:${(server.address() as AddressInfo).port}`;
  expect([await readStatus(`http://${host}/?a=b`), hosts]).toEqual([302, [host]]);
  await new Promise((closed) => server.close(closed));
  await expect(readStatus(`http://${host}/`)).rejects.toThrow("ECONNREFUSED");
});

it.each<[string, unknown]>([
  ["no answer in time", new DOMException("The operation was aborted due to timeout", "TimeoutError")],
  ["connect refused", new TypeError("fetch failed", { cause: new Error("connect refused") })],
  [
    "ECONNREFUSED",
    new TypeError("fetch failed", { cause: Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }) }),
  ],
])("says %s", (reason, error) => {
  expect(getCause(error)).toBe(reason);
});
