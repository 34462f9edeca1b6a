// The choices of a search at the code host: which are found, in which order, and how many.
import { expect, test } from "vitest";
import { listBranchChoices, listChoices, listRepositoryChoices } from "../../../src/project/rules/choices.ts";
import { choicesMax } from "../../../src/rules/limits.ts";

const people = [
  { login: "grace-kelly", name: "Grace Kelly" },
  { login: "ada", name: null },
  { login: "grace-hopper", name: "Grace Hopper" },
  { login: "kelly", name: "Ann Onymous" },
];

test.each([
  ["", ["ada", "grace-hopper", "grace-kelly", "kelly"]],
  ["  GRACE ", ["grace-hopper", "grace-kelly"]],
  ["kelly", ["kelly", "grace-kelly"]],
  ["grace hopper", ["grace-hopper"]],
  ["nobody", []],
])("a search for %j finds %j", (search, logins) => {
  expect(listChoices(people, search, ({ login, name }) => [login, name]).map(({ login }) => login)).toEqual(logins);
});

const many = Array.from({ length: 120 }, (_, number) => `topic/${String(number).padStart(3, "0")}`);

test.each([
  ["the default branch is first, also where it is not among the listed ones", many, "", "main"],
  ["the default branch is first where it is listed", [...many, "main"], "", "main"],
  ["an exact name is first where the default branch does not match", many, "topic/117", "topic/117"],
])("%s", (_, names, search, first) => {
  const found = listBranchChoices(names, "main", search);
  expect(found[0]).toEqual({ name: first, isDefault: first === "main" });
  expect(found.length).toBeLessThanOrEqual(choicesMax);
  expect(found.filter(({ isDefault }) => isDefault).length).toBeLessThanOrEqual(1);
});

const repositories = [
  ["acme/board", 1],
  ["acme/onboarding", 4],
  ["other/board-2", 3],
  ["other/empty", null],
  ["other/board", 2],
].map(([repository, pushedAt]) => ({
  repository: String(repository),
  pushedAt: pushedAt === null ? null : Number(pushedAt),
  ...{ defaultBranch: "main", isPrivate: true, mayPush: true },
}));

test.each([
  ["", ["acme/onboarding", "other/board-2", "other/board", "acme/board", "other/empty"]],
  ["board", ["other/board", "acme/board", "other/board-2", "acme/onboarding"]],
  ["ACME/Board", ["acme/board"]],
  ["other/", ["other/board-2", "other/board", "other/empty"]],
  ["nothing", []],
])("a search for %j finds the repositories %j", (search, names) => {
  expect(listRepositoryChoices(repositories, search).map(({ repository }) => repository)).toEqual(names);
});
