// The addresses to which a browser is sent back: which ones a client may register, and which ones
// count as registered.
import { expect, it } from "vitest";
import { checkRedirectUri, getRedirectTarget, isRegisteredRedirect } from "../../../src/oauth/rules/redirect.ts";

it.each([
  "https://client.example/callback?a=1",
  "http://127.0.0.1:53412/callback",
  "http://127.0.0.1/",
  "http://localhost:8080/callback",
  "http://[::1]:8080/callback",
  "cursor://anysphere.cursor-retrieval/oauth/callback",
  "com.example.app:/callback",
])("%s may be registered", (uri) => {
  expect(checkRedirectUri(uri)).toBeNull();
});

it.each([
  ["/callback", "is not an absolute URI"],
  ["", "is not an absolute URI"],
  ["https://client.example/#part", "has a fragment"],
  ["https://client.example/#", "has a fragment"],
  ["https://client.example;sandbox/", "has a host that is no name"],
  ["https://*.example/", "has a host that is no name"],
  ["https://user@client.example/", "has a user name"],
  ["https://:word@client.example/", "has a user name"],
  ["http://client.example/callback", "is http, and not on the person's own machine"],
  ["http://127.0.0.1.example/callback", "is http, and not on the person's own machine"],
  ["http://localhost.example/callback", "is http, and not on the person's own machine"],
  ["javascript:alert(1)", "has a scheme that belongs to no program"],
  ["JavaScript:alert(1)", "has a scheme that belongs to no program"],
  ["data:text/html,x", "has a scheme that belongs to no program"],
  ["blob:https://client.example/x", "has a scheme that belongs to no program"],
  ["file:///etc/passwd", "has a scheme that belongs to no program"],
  ["vbscript:x", "has a scheme that belongs to no program"],
  ["view-source:https://client.example", "has a scheme that belongs to no program"],
])("%s may not: it %s", (uri, problem) => {
  expect(checkRedirectUri(uri)).toBe(problem);
});

it.each([
  ["https://client.example/callback", "https://client.example/callback", true],
  ["https://client.example/callback", "https://client.example/callback/", false],
  ["https://client.example/callback", "https://client.example/callback?next=1", false],
  ["https://client.example/callback", "https://client.example:8443/callback", false],
  ["https://client.example/callback", "https://evil.example/callback", false],
  ["https://client.example/callback", "https://CLIENT.example/callback", false],
  ["http://127.0.0.1/callback", "http://127.0.0.1:53412/callback", true],
  ["http://127.0.0.1:1/callback", "http://127.0.0.1:2/callback", true],
  ["http://localhost:1/callback", "http://localhost/callback", true],
  ["http://[::1]:1/callback", "http://[::1]:2/callback", true],
  ["http://127.0.0.1:1/callback", "http://localhost:1/callback", false],
  ["http://127.0.0.1/callback", "http://127.0.0.1:2/other", false],
  ["http://127.0.0.1/callback", "http://127.0.0.1:2/callback?x=1", false],
  ["http://127.0.0.1/callback", "http://127.0.0.1:2/callback#x", false],
  ["http://127.0.0.1/callback", "http://me@127.0.0.1:2/callback", false],
  ["http://127.0.0.1/callback", "https://127.0.0.1:2/callback", false],
  ["http://127.0.0.1/callback", "", false],
  ["cursor://host/callback", "cursor://host:1/callback", false],
])("with %s registered, %s: %s", (registered, asked, isRegistered) => {
  expect(isRegisteredRedirect(["https://other.example/", registered], asked)).toBe(isRegistered);
});

it.each([
  [
    "https://client.example/callback",
    { isLocal: false, name: "client.example", policySource: "https://client.example" },
  ],
  ["http://127.0.0.1:5/x", { isLocal: true, name: "127.0.0.1:5", policySource: "http://127.0.0.1:5" }],
  ["http://[::1]:5/x", { isLocal: true, name: "[::1]:5", policySource: "http:" }],
  ["cursor://host/x", { isLocal: true, name: "cursor:", policySource: "cursor:" }],
])("%s leads where the page says", (uri, target) => {
  expect(getRedirectTarget(uri)).toEqual(target);
});
