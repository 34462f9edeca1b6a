// The wall of users, as far as it needs no other user.
import { expect, test } from "vitest";
import { createGroupNumbers, isGitOfAgent } from "../../../sandbox-program/process/users.ts";

test("a group that a family has is given to no other, however many families ended meanwhile", () => {
  const groups = createGroupNumbers({ from: 10, to: 13 });
  const service = groups.claim();
  const turns = Array.from({ length: 5 }, () => {
    const group = groups.claim();
    groups.release(group);
    return group;
  });
  expect([service, turns]).toEqual([10, [11, 12, 11, 12, 11]]);
  groups.release(service);
  expect([groups.claim(), groups.claim(), groups.claim()]).toEqual([12, 10, 11]);
  expect(() => groups.claim()).toThrow("Too many commands");
});

const status = ({ name = "git", state = "S (sleeping)", uid = 1000 } = {}) =>
  `Name:\t${name}\nUmask:\t0022\nState:\t${state}\nPid:\t7\nUid:\t${uid}\t${uid}\t${uid}\t${uid}\nGid:\t20001\t20001\t20001\t20001\n`;

test.each([
  ["a git", status(), true],
  ["a helper of git", status({ name: "git-remote-http" }), true],
  ["a git that has ended and is not reaped", status({ state: "Z (zombie)" }), false],
  ["a program whose name begins alike", status({ name: "gitea" }), false],
  ["another user's git", status({ uid: 990 }), false],
  ["a process that is gone", "", false],
])("%s holds locks of the checkout, or does not", (_, text, isHolder) => {
  expect(isGitOfAgent(text)).toBe(isHolder);
});
