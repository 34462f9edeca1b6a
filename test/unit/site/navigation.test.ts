// The order of the pages: every document has one place.
import { expect, test } from "vitest";
import { listGroups } from "../../../site/navigation.ts";

const list = (guides: string[]) =>
  listGroups({ guides, references: ["settings"], decisions: ["01-a"], examples: ["gate"], hasRecipeList: true });

test("guides are in the order of their groups, and a new one comes last", () => {
  const groups = list(["a-new-one", "api", "console", "crons", "one-machine"]);
  expect(
    groups.map(({ title, pages }) => `${title}: ${pages.map(({ path }) => path.split("/").pop()).join(" ")}`),
  ).toEqual([
    "Get started:  quick-start",
    "Work with sessions: console api",
    "Let it run by itself: crons a-new-one",
    "Recipes: recipes gate",
    "Reference: settings",
    "Run the service: one-machine operate containers cost security report-a-vulnerability changelog",
    "The contract: contract part-1 part-2 decisions",
    "The code: architecture contributing decisions 01-a",
  ]);
});

test("a document is one page, at one address", () => {
  const pages = list(["api", "mcp", "one-machine"]).flatMap(({ pages }) => pages);
  for (const key of ["path", "document"] as const)
    expect(new Set(pages.map((page) => page[key])).size).toBe(pages.length);
});
