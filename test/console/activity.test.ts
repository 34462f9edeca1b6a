// The filters of the activity feed: what the page offers and says with them.
import { expect, test } from "vitest";
import { type ActivitySearch, describeNothing, mayMarkSeen } from "../../console/src/activity/search.ts";

test.each<[what: string, search: ActivitySearch, may: boolean]>([
  ["the whole feed", {}, true],
  ["one workspace", { workspace: "w" }, true],
  ["one project, whose workspace has other events", { project: "p" }, false],
  ["one kind", { workspace: "w", kind: "action" }, false],
])("a mark that all is seen is offered only where all is shown: %s", (_, search, may) => {
  expect(mayMarkSeen(search)).toBe(may);
});

test("an empty feed says whether nothing happened, or nothing fits the filters", () => {
  expect(describeNothing({})).toMatch(/^Nothing has happened in the last 30 days/);
  expect(describeNothing({ kind: "action" })).toBe("Nothing fits in the last 30 days.");
});
