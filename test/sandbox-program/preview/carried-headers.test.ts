// What a service receives of a preview's request, and what a visitor receives of its response.
import { expect, test } from "vitest";
import { fromServiceHeaders, toServiceHeaders } from "../../../sandbox-program/preview/carried-headers.ts";

const forwarded = { "x-forwarded-host": "web--s1.preview.test", "x-forwarded-proto": "https" };
const local = { "x-forwarded-host": "localhost:5173", "x-forwarded-proto": "http", origin: "http://localhost:5173" };

/** The ways in which servers compare an origin with the host that they were asked as. */
const checks: Record<string, (headers: ReturnType<typeof toServiceHeaders>) => boolean> = {
  "with Host": ({ origin, host }) => origin === `http://${host}`,
  "with X-Forwarded-Host": ({ origin, ...headers }) =>
    origin === `${headers["x-forwarded-proto"]}://${headers["x-forwarded-host"] ?? headers.host}`,
};

test("a service gets the request as a local one, with the preview's address", () => {
  expect(toServiceHeaders({ host: "program", accept: "text/html", ...forwarded }, 5173)).toEqual({
    ...{ host: "localhost:5173", accept: "text/html" },
    ...forwarded,
  });
});

test("what is the service's or the platform's does not reach it", () => {
  const ours = { "x-sandbox-port": "5173", "x-sandbox-secret": "secret", "cf-worker": "switchyard" };
  expect(toServiceHeaders({ authorization: "Bearer its-own", ...ours }, 5173)).toEqual({
    authorization: "Bearer its-own",
    host: "localhost:5173",
  });
});

test.each(Object.keys(checks))("a form or a socket of the preview's own page passes a check %s", (name) => {
  const given = { ...forwarded, origin: "https://web--s1.preview.test" };
  const headers = toServiceHeaders(given, 5173);
  expect(headers).toMatchObject(local);
  expect(checks[name]?.(headers)).toBe(true);
});

test("the preview's own page on https is known behind a proxy in front of a service on http", () => {
  const plain = { "x-forwarded-host": "web--s1.preview.test", "x-forwarded-proto": "http" };
  expect(toServiceHeaders({ ...plain, origin: "https://web--s1.preview.test" }, 5173)).toMatchObject(local);
});

test.each([
  ["of a foreign page", "https://attacker.example"],
  ["of another frontend", "https://api--s1.preview.test"],
  ["of the preview by another scheme", "http://web--s1.preview.test"],
  ["of a page without one", "null"],
])("the origin %s is left as it is, and passes no check", (_, origin) => {
  const headers = toServiceHeaders({ ...forwarded, origin }, 5173);
  expect(headers).toMatchObject({ ...forwarded, origin });
  expect(Object.values(checks).some((passes) => passes(headers))).toBe(false);
});

test.each([
  ["http://localhost:41234/login", "http://localhost:3000/login"],
  ["https://127.0.0.1:41234?next", "https://127.0.0.1:3000?next"],
  ["//[::1]:41234", "//[::1]:3000"],
  ["http://localhost:41234", "http://localhost:3000"],
  ["http://localhost:412345/", "http://localhost:412345/"],
  ["http://localhost:8000/", "http://localhost:8000/"],
  ["https://shop.example:41234/", "https://shop.example:41234/"],
  ["/login?from=http://localhost:41234/", "/login?from=http://localhost:41234/"],
])("a redirect to %s is returned as %s", (location, told) => {
  expect(fromServiceHeaders({ location }, 41_234, 3_000)).toEqual({ location: told });
});

test("a service cannot speak for the sandbox", () => {
  const claims = { "x-sandbox-missing": "1", "x-sandbox-unreachable": "1", "x-sandbox-broken": "1", etag: "own" };
  expect(fromServiceHeaders({ ...claims, "x-sandbox-boot": "another" }, 1, 1)).toEqual({ etag: "own" });
});
