// Secrets that no sandbox contains: which ones may be set, and where their values go.
import { describe, expect, it } from "vitest";
import {
  checkNetworkSecret,
  createPlaceholder,
  listEchoes,
  type OpenSecret,
  type SecretPlace,
  toSecretHosts,
  withSecretValues,
} from "../../../src/network/rules/network-secret.ts";

const value = "s3cret/value+";
const onlyTo = ["api.example.com"];

describe("a secret is refused", () => {
  it.each<[string, { value?: string; onlyTo?: string[] }, Record<string, string>]>([
    ["that is too short", { value: "1234567" }, { value: "8 to 4,096 characters" }],
    ["that is too long", { value: "a".repeat(4_097) }, { value: "8 to 4,096 characters" }],
    ["with a line break", { value: "one line\r\nx: y" }, { value: "in one line" }],
    ["with a space at its end", { value: "12345678 " }, { value: "without spaces at its ends" }],
    ["beyond ASCII", { value: "schlüssel" }, { value: "visible ASCII" }],
    ["without a host", { onlyTo: [] }, { onlyTo: "must name a host" }],
    [
      "with 11 hosts",
      { onlyTo: Array.from({ length: 11 }, (_, at) => `h${at}.example.com`) },
      { onlyTo: "at most 10" },
    ],
    ["for a wildcard", { onlyTo: ["a.example.com", "*.example.com"] }, { "onlyTo.1": "not a wildcard" }],
    ["for a port", { onlyTo: ["api.example.com:443"] }, { "onlyTo.0": "must have no port" }],
    ["for an address", { onlyTo: ["10.0.0.1"] }, { "onlyTo.0": "" }],
    ["for a name of this network", { onlyTo: ["service.internal"] }, { "onlyTo.0": "" }],
  ])("%s", (_, wrong, messages) => {
    const refusal = checkNetworkSecret({ value, onlyTo, ...wrong });
    const details = Object.entries(messages).map(([path, message]) => ({
      path,
      message: expect.stringContaining(message),
    }));
    expect(refusal).toMatchObject({ code: "VALIDATION_ERROR", details });
    expect(JSON.stringify(refusal)).not.toContain(wrong.value ?? value);
  });

  it("unless all of it is right", () => {
    expect(checkNetworkSecret({ value: "12345678", onlyTo: ["API.Example.com.", "bücher.de"] })).toBeNull();
    expect(checkNetworkSecret({ value: `${"a b ".repeat(1_023)}last`, onlyTo })).toBeNull();
  });
});

it("hosts are compared in ASCII and lower case, each once", () => {
  expect(toSecretHosts(["bücher.de", "API.example.com.", "api.example.com"])).toEqual([
    "api.example.com",
    "xn--bcher-kva.de",
  ]);
});

it.each([
  ["sk-ant-api03-abcdef", "sk-ant-api03-svc_held_x"],
  ["sk-proj-abcdef", "sk-proj-svc_held_x"],
  ["ghp_abcdef12", "ghp_svc_held_x"],
  ["sk_live_abcdef", "sk_live_svc_held_x"],
  ["hunter2hunter2", "svc_held_x"],
  ["mysk-abcdef", "svc_held_x"],
])("the placeholder of %s begins as its clients expect", (of, placeholder) => {
  expect(createPlaceholder(of, "x")).toBe(placeholder);
});

describe("in a request", () => {
  const held = "svc_held_x";
  const secret = (as: SecretPlace): OpenSecret => ({ name: "KEY", onlyTo, as, placeholder: held, value });
  const url = `https://api.example.com/v1/${held}?a=1&key=${held}&again=${held}`;
  const basic = (text: string) => `Basic ${btoa(text)}`;
  const headers: [string, string][] = [
    ["authorization", `Bearer ${held}`],
    ["x-api-key", held],
  ];

  it("a header's placeholder is replaced, and nothing in the address", () => {
    expect(withSecretValues({ url, headers }, [secret("header")])).toEqual({
      url,
      headers: [
        ["authorization", `Bearer ${value}`],
        ["x-api-key", value],
      ],
      shownAs: [],
    });
  });

  it("a query's placeholder is replaced, encoded, and nothing in the path or the headers", () => {
    expect(withSecretValues({ url, headers }, [secret("query")])).toEqual({
      url: `https://api.example.com/v1/${held}?a=1&key=s3cret%2Fvalue%2B&again=s3cret%2Fvalue%2B`,
      headers,
      shownAs: [],
    });
  });

  it.each([
    [basic(`user:${held}`), basic(`user:${value}`)],
    [`basic  ${btoa(`${held}:`)}`, basic(`${value}:`)],
    [basic("user:own"), null],
    [`Bearer ${held}`, null],
    ["Basic !!!", null],
    ["Basic", null],
  ])("of Basic, %s becomes %s", (given, sent) => {
    const changed = withSecretValues({ url, headers: [["Authorization", given]] }, [secret("basic")]);
    expect(changed.headers).toEqual([["Authorization", sent ?? given]]);
    expect(changed.shownAs).toEqual(sent === null ? [] : [sent.slice("Basic ".length)]);
    expect(changed.url).toBe(url);
  });

  it.each(["pa$$word", "pa$&word", "pa$`word", "pa$'word"])("the value %s is sent as it is", (exact) => {
    const sent = (as: SecretPlace) => withSecretValues({ url, headers }, [{ ...secret(as), value: exact }]);
    expect(sent("header").headers[1]).toEqual(["x-api-key", exact]);
    expect(new URL(sent("query").url).searchParams.get("key")).toBe(exact);
    const changed = withSecretValues({ url, headers: [["authorization", basic(`user:${held}!`)]] }, [
      { ...secret("basic"), value: exact },
    ]);
    expect(changed.headers).toEqual([["authorization", basic(`user:${exact}!`)]]);
  });

  it("several secrets each take their own place", () => {
    const other: OpenSecret = { ...secret("query"), placeholder: "svc_held_y", value: "other-value" };
    const changed = withSecretValues(
      { url: "https://api.example.com/?k=svc_held_y&n=svc_held_x", headers: [["x", "svc_held_x svc_held_y"]] },
      [secret("header"), other],
    );
    expect(changed).toMatchObject({
      url: "https://api.example.com/?k=other-value&n=svc_held_x",
      headers: [["x", `${value} svc_held_y`]],
    });
  });

  it("without a query, the address stays as it is", () => {
    const plain = { url: "https://api.example.com/?", headers: [] };
    expect(withSecretValues(plain, [secret("query")]).url).toBe(plain.url);
  });
});

it("a value may come back as it is, encoded for an address, quoted in JSON, or as the token that was sent", () => {
  const secret: OpenSecret = { name: "KEY", onlyTo, as: "header", placeholder: "svc_held_x", value: 'a"b/c d"e' };
  expect(listEchoes([secret], ["dXNlcg=="])).toEqual(['a"b/c d"e', "a%22b%2Fc%20d%22e", 'a\\"b/c d\\"e', "dXNlcg=="]);
});
