// The filters of the activity feed: what the page offers and says with them.
import { expect, test } from "vitest";
import { type ActivitySearch, mayMarkSeen } from "../../console/src/activity/search.ts";

test.each<[what: string, search: ActivitySearch, may: boolean]>([
  ["the whole feed", {}, true],
  ["one workspace", { workspace: "w" }, true],
  ["one project, whose workspace has other events", { project: "p" }, false],
  ["one kind", { workspace: "w", kind: "action" }, false],
])("a mark that all is seen is offered only where all is shown: %s", (_, search, may) => {
  expect(mayMarkSeen(search)).toBe(may);
});
