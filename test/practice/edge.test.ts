// The edge of a public service: what the runtime gets of a stranger's request.
import { expect, test } from "vitest";
import { getStorageEndpoint, readEdgeRequest } from "../../practice/edge.ts";

const hosts = { publicHost: "switchyard.example.com", previewDomain: "previews.example.net" };
const preview = "web--s0123456789abcdef.previews.example.net";
const files = "files.previews.example.net";

const ask = (url: string, headers: Record<string, string> = {}, more: { method?: string; peer?: string } = {}) =>
  readEdgeRequest(
    { method: "GET", peer: "127.0.0.1", ...more, url, headers: { host: hosts.publicHost, ...headers } },
    hosts,
  );

test.each([
  ["/dev/sign-in", {}, 404],
  ["/dev", {}, 404],
  ["/%64ev/sign-in", {}, 404],
  ["/api/../dev/sign-in", {}, 404],
  ["/cdn-cgi/local/scheduled", {}, 404],
  ["/api/%2e%2e/cdn-cgi/local/scheduled", {}, 404],
  ["/cdn-cgi/local/scheduled", { host: preview }, 404],
  ["/cdn-cgi/local/r2/s3/switchyard/x?X-Amz-Signature=x", {}, 404],
  ["/cdn-cgi/local/r2/s3/switchyard/x", { host: files }, 404],
  ["/cdn-cgi/local/r2/s3/../../scheduled?X-Amz-Signature=x", { host: files }, 404],
  ["/internal/turn-link", {}, 404],
  ["/%69nternal/turn-link", {}, 404],
  ["http://other.example/", {}, 400],
  ["*", {}, 400],
  ["/", { host: "" }, 421],
  ["/", { host: "localhost" }, 421],
  ["/", { host: "127.0.0.1:8787" }, 421],
  ["/", { host: "switchyard.example.com." }, 421],
  ["/", { host: "switchyard.example.com:8080" }, 421],
  ["/", { host: "switchyard.example.com.evil.example" }, 421],
  ["/", { host: "evilpreviews.example.net" }, 421],
])("%s with %j is answered with %i before the runtime", (url, headers, status) => {
  expect(ask(url, headers)).toMatchObject({ status });
});

test("only signed reads reach stored files, without cookies, and under a name that the runtime accepts", () => {
  const url = new URL(`${getStorageEndpoint(hosts.previewDomain, "switchyard")}/a.png?X-Amz-Signature=x`);
  const path = url.pathname + url.search;
  expect(url.host).toBe(files);
  expect(ask(path, { host: files }, { method: "PUT" })).toMatchObject({ status: 404 });
  const accepted = ask(path, { host: files, cookie: "a=b", authorization: "Bearer x", range: "bytes=0-1" });
  expect(accepted).toMatchObject({
    path,
    headers: { host: "127.0.0.1", "mf-original-hostname": files, range: "bytes=0-1" },
  });
  expect(accepted).not.toMatchObject({ headers: { cookie: expect.anything() } });
  expect(accepted).not.toMatchObject({ headers: { authorization: expect.anything() } });
  expect(accepted).toMatchObject({ added: { "content-security-policy": "sandbox" } });
});

test.each([
  ["/account?a=b", {}, "/account?a=b", hosts.publicHost],
  ["//account", {}, "//account", hosts.publicHost],
  ["/dev/app.js", { host: preview }, "/dev/app.js", preview],
  ["/internal/operator", {}, "/internal/operator", hosts.publicHost],
  ["/internal/health", {}, "/internal/health", hosts.publicHost],
  ["/", { host: "Switchyard.Example.com:443" }, "/", hosts.publicHost],
])("%s with %j reaches the runtime as %s of %s", (url, headers, path, host) => {
  expect(ask(url, headers)).toMatchObject({ path, headers: { host, "x-forwarded-proto": "https" } });
});

test("a stranger's words for the runtime and the platform do not reach the runtime", () => {
  const said = {
    "mf-original-url": "x",
    "mf-op": "x",
    "cf-ray": "x",
    forwarded: "for=x",
    "x-real-ip": "x",
    expect: "x",
  };
  const kept = { accept: "*/*", cookie: "a=b" };
  expect(ask("/", { ...said, ...kept, "x-forwarded-host": "x" })).toMatchObject({
    headers: {
      host: hosts.publicHost,
      "x-forwarded-proto": "https",
      "mf-disable-pretty-error": "true",
      ...kept,
    },
  });
  const { headers } = ask("/", said) as { headers: object };
  expect(Object.keys(headers).sort()).toEqual(["host", "mf-disable-pretty-error", "x-forwarded-proto"]);
});

test.each([
  ["203.0.113.7", "127.0.0.1", "203.0.113.7"],
  ["198.51.100.1, 203.0.113.7", "127.0.0.1", "203.0.113.7"],
  ["2001:db8::1", "::ffff:127.0.0.1", "2001:db8::1"],
  ["nonsense", "127.0.0.1", undefined],
  ["203.0.113.7", "192.0.2.1", "192.0.2.1"],
])("X-Forwarded-For %j from %s is the client %s", (header, peer, client) => {
  const { headers } = ask("/", { "x-forwarded-for": header, "cf-connecting-ip": "9.9.9.9" }, { peer }) as {
    headers: Record<string, string>;
  };
  expect(headers["cf-connecting-ip"]).toBe(client);
});
