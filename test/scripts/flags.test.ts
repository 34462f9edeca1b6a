// The flags of `npm start -- …`.
import { expect, test } from "vitest";
import { readStartFlags } from "../../scripts/flags.ts";

const none = {
  repository: null,
  addsRemote: false,
  withoutWalls: false,
  opensBrowser: false,
  usesContainers: false,
  publicUrl: null,
  previews: null,
  installs: false,
  printsLog: false,
  isHelp: false,
};

test.each([
  [[], none],
  [["--repo", "../web"], { ...none, repository: "../web" }],
  [["--repo=../a=b"], { ...none, repository: "../a=b" }],
  [["--remote", "--repo", "."], { ...none, repository: ".", addsRemote: true }],
  [["--without-walls"], { ...none, withoutWalls: true }],
  [["--open"], { ...none, opensBrowser: true }],
  [["--containers"], { ...none, usesContainers: true }],
  [["--public", "https://a.test", "--previews=b.test"], { ...none, publicUrl: "https://a.test", previews: "b.test" }],
  [["--public=https://a.test", "--install"], { ...none, publicUrl: "https://a.test", installs: true }],
  [["--log"], { ...none, printsLog: true }],
  [["--help"], { ...none, isHelp: true }],
])("%j is understood", (given, flags) => {
  expect(readStartFlags(given)).toEqual(flags);
});

test.each([
  [["--repos", "."], 'npm start has no option "--repos".'],
  [["web"], 'npm start has no option "web".'],
  [["--constructor"], 'npm start has no option "--constructor".'],
  [["--repo"], "--repo needs PATH after it."],
  [["--repo="], "--repo needs PATH after it."],
  [["--repo", "--remote"], "--repo needs PATH after it."],
  [["--repo", "a", "--repo", "b"], "--repo is given twice."],
  [["--remote=yes", "--repo", "a"], "--remote takes no value."],
  [["--previews", "b.test"], "--previews works only with --public https://HOST."],
  [["--install"], "--install works only with --public https://HOST."],
  [["--public", "https://a.test", "--without-walls", "--repo=."], "--repo and --without-walls: not with --public"],
  [["--remote"], "--remote works only with --repo PATH."],
])("%j is refused in plain words", (given, message) => {
  expect(readStartFlags(given)).toContain(message);
});

test("an unknown flag is refused with the known ones", () => {
  expect(readStartFlags(["--repos"])).toMatch(
    /^ {2}--repo PATH +makes a project of your own folder, or of OWNER\/NAME on GitHub/m,
  );
});
