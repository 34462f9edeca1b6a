import { describe, expect, it, test } from "vitest";
import { readOpenPrFlags } from "../../../../src/session/rules/pull-request/open-flags.ts";
import {
  chooseReviewers,
  findReviewer,
  isWholeName,
  parseNames,
} from "../../../../src/session/rules/pull-request/reviewer-match.ts";

type Expected = { d?: boolean; r?: string[] | null; e?: string[]; text?: string };
const known = ["ada", "bob", "carol", "dan-smith"];
const isName = (word: string) => known.includes(word.toLowerCase());

/** Part 1, "Flags of open-pr", in the forms that people write. */
const forms: [argument: string, expected: Expected][] = [
  ["", {}],
  ["Look at the board first.", { text: "Look at the board first." }],
  ["-d", { d: true }],
  ["--draft", { d: true }],
  ["--Draft", { d: true }],
  ["—draft", { d: true }],
  ["--draft=true", { d: true }],
  ["--draft=false", {}],
  ["Not done yet -d", { d: true, text: "Not done yet" }],
  ["-d Not done yet", { d: true, text: "Not done yet" }],
  ["-r ada", { r: ["ada"] }],
  ["-r @ada", { r: ["ada"] }],
  ["-r ada,bob", { r: ["ada", "bob"] }],
  ["-r ada, bob", { r: ["ada", "bob"] }],
  ["-r ada , bob", { r: ["ada", "bob"] }],
  ["-r ada bob", { r: ["ada", "bob"] }],
  ["-r ada and bob", { r: ["ada", "bob"] }],
  ["-r=ada", { r: ["ada"] }],
  ["-r=ada,bob", { r: ["ada", "bob"] }],
  ["-rada", { r: ["ada"] }],
  ["--reviewers ada bob", { r: ["ada", "bob"] }],
  ["--reviewers=ada", { r: ["ada"] }],
  ["--reviewers=ada, bob", { r: ["ada", "bob"] }],
  ["--reviewers=ada bob", { r: ["ada", "bob"] }],
  ["--reviewer ada", { r: ["ada"] }],
  ['--reviewers="ada, bob"', { r: ["ada", "bob"] }],
  ['-r "Ada Lovelace", bob', { r: ["Ada Lovelace", "bob"] }],
  ["-r 'Ada Lovelace'", { r: ["Ada Lovelace"] }],
  ["-r ada -r bob", { r: ["ada", "bob"] }],
  ["-r ada,ada", { r: ["ada"] }],
  ["-dr ada", { d: true, r: ["ada"] }],
  ["-rd ada", { d: true, r: ["ada"] }],
  ["-dr=ada", { d: true, r: ["ada"] }],
  ["-r ada -d", { d: true, r: ["ada"] }],
  ["-d -r ada bob Fixes the board.", { d: true, r: ["ada", "bob"], text: "Fixes the board." }],
  ["-r ada Fixes the board.", { r: ["ada"], text: "Fixes the board." }],
  ["-r ada\nFixes it", { r: ["ada"], text: "Fixes it" }],
  ["-r nobody", { r: ["nobody"] }],
  ["-r nobody Fixes the board.", { r: ["nobody"], text: "Fixes the board." }],
  ["-r ada nobody", { r: ["ada", "nobody"] }],
  ["-r ada, nobody and so on", { r: ["ada", "nobody"], text: "and so on" }],
  ["-r nobody bob", { r: ["nobody", "bob"] }],
  ["-r ada -- -d bob", { r: ["ada"], text: "-d bob" }],
  ["-- -d", { text: "-d" }],
  ['"-d" is a flag', { text: "-d is a flag" }],
  ["-r", {}],
  ["-r -d", { d: true }],
  ["-e https://a.example/1.png", { e: ["https://a.example/1.png"] }],
  ["-e https://a.example/1,https://b.example/2", { e: ["https://a.example/1", "https://b.example/2"] }],
  ["-e https://a.example/1, https://b.example/2", { e: ["https://a.example/1", "https://b.example/2"] }],
  ["-e https://a.example/1 https://b.example/2", { e: ["https://a.example/1", "https://b.example/2"] }],
  ["-e https://a.example/a,b?c=1,2", { e: ["https://a.example/a,b?c=1,2"] }],
  ["-e=https://a.example/?q=1", { e: ["https://a.example/?q=1"] }],
  ["--evidence=https://a.example/1", { e: ["https://a.example/1"] }],
  ["--evidence https://a.example/1 shows the board", { e: ["https://a.example/1"], text: "shows the board" }],
  ["-e <https://a.example/1>", { e: ["https://a.example/1"] }],
  [
    "-e <https://a.example/x>, [l](https://b.example/y) -d",
    { d: true, e: ["https://a.example/x", "https://b.example/y"] },
  ],
  ["-e [the board](https://a.example/1) as it is", { e: ["https://a.example/1"], text: "as it is" }],
  ["-e <https://a.example/1>,[a b](https://b.example/2)", { e: ["https://a.example/1", "https://b.example/2"] }],
  [
    "-e=[-d](https://a.example/a_(b)), ![x](<https://b.example/2>)",
    { e: ["https://a.example/a_(b)", "https://b.example/2"] },
  ],
  ['-e "[the board](https://a.example/1)"', { e: ["https://a.example/1"] }],
  ["see [the board](https://a.example/1)", { text: "see [the board](https://a.example/1)" }],
  ["-d=false", {}],
  ["-d=no Ready", { text: "Ready" }],
  ["-d=true", { d: true }],
  ["-e screenshot", { text: "screenshot" }],
  ["-e ftp://a.example javascript:alert(1)", { text: "ftp://a.example javascript:alert(1)" }],
  ["see https://a.example/1", { text: "see https://a.example/1" }],
  ["-de https://a.example/1", { d: true, e: ["https://a.example/1"] }],
  ["-e https://a.example/1 -r ada -d The why", { d: true, r: ["ada"], e: ["https://a.example/1"], text: "The why" }],
  ["-x - -5 -done --dry --reviewed", { text: "-x - -5 -done --dry --reviewed" }],
  ["it's ada's \"board\"", { text: "it's ada's board" }],
];

test.each(forms)("%j", (argument, { d = false, r = null, e = [], text = "" }: Expected) => {
  expect(readOpenPrFlags(argument, isName)).toEqual({ isDraft: d, reviewers: r, evidence: e, text });
});

it("takes every word after the flag as a name if no accounts are known", () => {
  expect(readOpenPrFlags("-r ada some body -d").reviewers).toEqual(["ada", "some", "body"]);
});

describe("a reviewer's name", () => {
  const candidates = [
    { login: "ada-lovelace", name: "Ada Lovelace" },
    { login: "adam", name: null },
    { login: "Grace_Hopper", name: "Admiral Grace Hopper" },
    { login: "zoe", name: "Zoë Müller" },
    { login: "bob" },
    { login: "bobby" },
  ];

  const one: [written: string, login: string][] = [
    ["ada-lovelace", "ada-lovelace"],
    ["@Ada-Lovelace", "ada-lovelace"],
    ["ada lovelace", "ada-lovelace"],
    ["AdaLovelace", "ada-lovelace"],
    ["ada_lovelace", "ada-lovelace"],
    ["adam", "adam"],
    ["gracehopper", "Grace_Hopper"],
    ["grace", "Grace_Hopper"],
    ["Hopper", "Grace_Hopper"],
    ["lovelace", "ada-lovelace"],
    ["Muller", "zoe"],
    ["bob", "bob"],
    ["bobb", "bobby"],
  ];

  test.each(one)("%s is %s", (written, login) => {
    expect(findReviewer(written, candidates)).toEqual({ type: "one", login });
  });

  it("that matches several people is unclear", () => {
    expect(findReviewer("ada", candidates)).toEqual({ type: "several", logins: ["ada-lovelace", "adam"] });
    expect(findReviewer("bo", candidates)).toEqual({ type: "several", logins: ["bob", "bobby"] });
  });

  it("that matches nobody has the nearest people", () => {
    expect(findReviewer("grcae", candidates)).toMatchObject({
      type: "none",
      logins: ["Grace_Hopper", expect.anything(), expect.anything()],
    });
    expect(findReviewer("@", candidates).type).toBe("none");
    expect(findReviewer("ada", [])).toEqual({ type: "none", logins: [] });
  });
});

describe("several words", () => {
  const people = [
    { login: "adam-admin", name: "Adam Admin" },
    { login: "grace-hopper", name: "Grace Hopper" },
    { login: "grace-kelly", name: "Grace Kelly" },
    { login: "ada", name: null },
    { login: "lovelace", name: null },
    { login: "ada-lovelace", name: "Ada Lovelace" },
    { login: "mia-member", name: "Mia Member" },
    { login: "jb", name: "Jean de la Tour" },
  ];
  const isSomebody = (word: string) => findReviewer(word, people).type !== "none";
  const isWhole = (words: string) => isWholeName(words, people);
  const chosen = (flags: string) =>
    chooseReviewers(
      (readOpenPrFlags(flags, isSomebody, isWhole).reviewers ?? []).flatMap((name) => parseNames(name, people)),
      people,
    );

  test.each([
    ["-r Grace Hopper", ["grace-hopper"]],
    ["-r grace hopper Fixes the board.", ["grace-hopper"]],
    ["-r Grace Hopper, mia", ["grace-hopper", "mia-member"]],
    ["-r mia, Grace Hopper", ["mia-member", "grace-hopper"]],
    ["-r Grace Hopper mia", ["grace-hopper", "mia-member"]],
    ["-r Grace Hopper and Grace Kelly", ["grace-hopper", "grace-kelly"]],
    ["-r Grace Hopper Grace Kelly", ["grace-hopper", "grace-kelly"]],
    ["-r=Grace Hopper", ["grace-hopper"]],
    ["-r jean de la tour", ["jb"]],
    ["-r ada lovelace", ["ada", "lovelace"]],
    ['-r "Grace Hopper"', ["grace-hopper"]],
    ['-r "grace-hopper mia-member"', ["grace-hopper", "mia-member"]],
    ['-r "Grace Hopper mia"', ["grace-hopper", "mia-member"]],
    ['-r "grace-hopper and mia"', ["grace-hopper", "mia-member"]],
  ])("%s are %j", (flags, logins) => {
    expect(chosen(flags)).toEqual({ logins, unclear: [] });
  });

  test.each([
    ["-r Grace, Hopper", "Grace", ["grace-hopper", "grace-kelly"]],
    ["-r grace grace-kelly", "grace", ["grace-hopper"]],
    ["-r hopper, grce-hoppr", "grce-hoppr", "grace-hopper"],
    ['-r "Grcae Hopper"', "Grcae Hopper", "grace-hopper"],
    ['-r "grace-hopper mia-membr"', "mia-membr", "mia-member"],
  ])("%s leave %j open, which may be %j", (flags, name, offered) => {
    const [open, ...more] = chosen(flags).unclear;
    expect([open?.name, more]).toEqual([name, []]);
    expect(typeof offered === "string" ? open?.logins[0] : open?.logins).toEqual(offered);
  });

  it("that are chosen are not offered for another name", () => {
    expect(chosen("-r adam zzz").unclear[0]?.logins).not.toContain("adam-admin");
  });

  it("that each match one person are all clear", () => {
    expect(chosen("-r grace, grace-hopper, grace-kelly").unclear).toEqual([]);
  });
});
