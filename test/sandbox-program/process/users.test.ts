// The wall of users, as far as it needs no other user.
import { expect, test } from "vitest";
import { createGroupNumbers } from "../../../sandbox-program/process/users.ts";

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
