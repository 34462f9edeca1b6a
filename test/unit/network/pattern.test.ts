import { describe, expect, it } from "vitest";
import { formatPattern, isInPattern, parsePattern } from "../../../src/network/rules/pattern.ts";
import { hostsOfPreset, presetNames } from "../../../src/network/rules/presets.ts";

describe("a pattern is kept in the form in which it is compared", () => {
  it.each([
    ["registry.npmjs.org", "registry.npmjs.org"],
    [" Registry.NPMJS.org. ", "registry.npmjs.org"],
    ["bücher.de", "xn--bcher-kva.de"],
    ["*.Bücher.de", "*.xn--bcher-kva.de"],
    ["*.npmjs.org", "*.npmjs.org"],
    ["example.com:80", "example.com:80"],
    ["*.example.com:443", "*.example.com:443"],
    ["_dmarc.example.com", "_dmarc.example.com"],
    ["3com.com", "3com.com"],
  ])("%s", (text, kept) => {
    const pattern = parsePattern(text);
    expect("mistake" in pattern ? pattern.mistake : formatPattern(pattern)).toBe(kept);
  });
});

describe("what is no pattern is refused by its own sentence", () => {
  it.each([
    ["", "must not be empty"],
    [`${"a".repeat(63)}.`.repeat(4), "must have at most 253 characters"],
    ["*", "would be every host, which is the mode open"],
    ["*.com", "would be every name below com"],
    ["a*.com", "may have `*` only as its first label, as in *.example.com"],
    ["*.*.com", "may have `*` only as its first label, as in *.example.com"],
    ["a.*.com", "may have `*` only as its first label, as in *.example.com"],
    ["1.2.3.4", "must be a name: an address is never reached"],
    ["1.2.3.4:443", "must be a name: an address is never reached"],
    ["[::1]", "must be a name: an address is never reached"],
    ["[::1]:443", "must be a name: an address is never reached"],
    ["0x7f.1", "must be a name: an address is never reached"],
    ["2130706433", "must be a name: an address is never reached"],
    ["10.0.0.0/8", "must be a name: an address is never reached"],
    ["localhost", "is a name of a private network"],
    ["db.internal", "is a name of a private network"],
    ["*.svc.local", "is a name of a private network"],
    ["printer", "must be a name with a dot, such as example.com"],
    ["a.com:5432", "has another port: a sandbox reaches only 80 and 443"],
    ["a.com:", "has another port: a sandbox reaches only 80 and 443"],
    ["https://a.com/x", "must be only a host, without scheme, path or user"],
    ["a.com/x", "must be only a host, without scheme, path or user"],
    ["me@a.com", "must be only a host, without scheme, path or user"],
    ["a..com", "is no host name"],
    ["-a.com", "is no host name"],
    ["a%2ecom", "is no host name"],
    [".com", "is no host name"],
  ])("%s", (text, mistake) => {
    expect(parsePattern(text)).toEqual({ mistake });
  });
});

describe("a wildcard", () => {
  it.each([
    ["*.npmjs.org", "a.npmjs.org", true],
    ["*.npmjs.org", "a.b.npmjs.org", true],
    ["*.npmjs.org", "npmjs.org", false],
    ["*.npmjs.org", "evilnpmjs.org", false],
    ["*.npmjs.org", "a.npmjs.org.evil.com", false],
  ])("%s and %s: %s", (text, host, isIncluded) => {
    expect(matches(text, host)).toBe(isIncluded);
  });
});

it("ten thousand names are matched as a comparison label by label matches them", () => {
  const random = seededRandom(7);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const labels = ["a", "b", "npmjs", "evilnpmjs", "com", "org"];
  const name = (most: number) => Array.from({ length: 2 + Math.floor(random() * most) }, () => pick(labels)).join(".");
  const wrong = Array.from({ length: 10_000 }, () => {
    const text = `${pick(["", "*."])}${name(2)}${pick(["", ":80", ":443"])}`;
    return { text, host: name(4), port: pick([80, 443]) };
  }).filter(({ text, host, port }) => matches(text, host, port) !== matchesByLabel(text, host, port));
  expect(wrong).toEqual([]);
});

it.each(presetNames)("every host of the preset %s is a pattern in its compared form", (name) => {
  const formed = hostsOfPreset(name).map((text) => {
    const pattern = parsePattern(text);
    return "mistake" in pattern ? pattern.mistake : formatPattern(pattern);
  });
  expect(formed).toEqual(hostsOfPreset(name));
});

function matches(text: string, host: string, port = 443): boolean {
  const pattern = parsePattern(text);
  if ("mistake" in pattern) throw new Error(`${text} ${pattern.mistake}`);
  return isInPattern(pattern, host, port);
}

function matchesByLabel(text: string, host: string, port: number): boolean {
  const [name = "", only] = text.split(":");
  if (only !== undefined && Number(only) !== port) return false;
  const [wanted, given] = [name.split(".").toReversed(), host.split(".").toReversed()];
  const isLonger = wanted.at(-1) === "*";
  if (isLonger) wanted.pop();
  if (isLonger ? given.length <= wanted.length : given.length !== wanted.length) return false;
  return wanted.every((label, at) => label === given[at]);
}

function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
