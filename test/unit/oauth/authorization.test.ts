// An authorization request: what it may ask for, and what is wrong with any other.
import { expect, it } from "vitest";
import { isResource, isVerifier, parseAuthorization, parseScopes } from "../../../src/oauth/rules/authorization.ts";

const resource = "https://switchyard.example/mcp";
const client = { name: "Editor", redirectUris: ["http://127.0.0.1/callback"] };
const right = {
  client_id: "c",
  redirect_uri: "http://127.0.0.1:5/callback",
  response_type: "code",
  code_challenge: "a".repeat(43),
  code_challenge_method: "S256",
  resource,
  scope: "read work",
  state: "s",
};
const parse = (changes: Record<string, string | undefined>, more = "") => {
  const fields = Object.entries({ ...right, ...changes }).filter((field): field is [string, string] => !!field[1]);
  return parseAuthorization(new URLSearchParams(new URLSearchParams(fields) + more), { client, resource });
};

it("a right request is read", () => {
  expect(parse({})).toEqual({
    redirectUri: right.redirect_uri,
    challenge: right.code_challenge,
    scopes: ["read", "work"],
    state: "s",
  });
});

it.each([
  ["no scope", { scope: undefined }, { scopes: ["read"] }],
  ["only the wider scope", { scope: "work" }, { scopes: ["read", "work"] }],
  ["scopes in another order", { scope: "work  read" }, { scopes: ["read", "work"] }],
  ["no state", { state: undefined }, { state: null }],
  ["no resource", { resource: undefined }, { scopes: ["read", "work"] }],
  ["the resource with a slash", { resource: `${resource}/` }, { scopes: ["read", "work"] }],
])("with %s it is right, too", (_, changes, expected) => {
  expect(parse(changes)).toMatchObject(expected);
});

it.each([
  ["an address that was not registered", { redirect_uri: "https://evil.example/" }, /did not register/],
  ["no address", { redirect_uri: undefined }, /did not register/],
  ["the implicit flow", { response_type: "token" }, /response_type/],
  ["no response type", { response_type: undefined }, /response_type/],
  ["no challenge", { code_challenge: undefined }, /S256/],
  ["a short challenge", { code_challenge: "a".repeat(42) }, /S256/],
  ["the method plain", { code_challenge_method: "plain" }, /S256/],
  ["no method", { code_challenge_method: undefined }, /S256/],
  ["another resource", { resource: "https://other.example/mcp" }, /resource has to be/],
  ["the origin as resource", { resource: "https://switchyard.example/" }, /resource has to be/],
  ["an unknown scope", { scope: "read admin" }, /scopes are/],
  ["a long state", { state: "s".repeat(501) }, /state is too long/],
])("with %s it is wrong", (_, changes, problem) => {
  expect(parse(changes)).toMatch(problem);
});

it("a repeated parameter is wrong", () => {
  expect(parse({}, "&redirect_uri=https://evil.example/")).toMatch(/redirect_uri is repeated/);
});

it("scopes, resources and verifiers have a shape", () => {
  expect(parseScopes("")).toEqual(["read"]);
  expect(parseScopes("READ")).toBeNull();
  expect(isResource("https://switchyard.example/mcpx", resource)).toBe(false);
  expect(["a".repeat(43), "~._-".repeat(20)].map(isVerifier)).toEqual([true, true]);
  expect(["a".repeat(42), "a".repeat(129), `${"a".repeat(43)}+`].map(isVerifier)).toEqual([false, false, false]);
});
