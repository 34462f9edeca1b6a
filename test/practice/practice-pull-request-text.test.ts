// What the practice model calls its pull requests.
import { expect, test } from "vitest";
import { createPullRequestText } from "../../practice/model-provider/pull-request-text.ts";

const model = "The practice model wrote this and did no real work.";

test.each([
  ["/svc:open-pr", "", ""],
  ["/svc:open-pr -r grace-hopper", "", ""],
  ["/svc:open-pr -d -r Grace Hopper, mia -e https://a.example/1, [l](https://b.example/2)", "", ""],
  ["$svc:open-pr --reviewers=zzz", "", ""],
  ["/svc:open-pr -r grace The board was empty.", "The board was empty.", "The board was empty."],
  ['/svc:open-pr The board\'s "empty" state', 'The board\'s "empty" state', 'The board\'s "empty" state'],
  ["/svc:open-pr -r adam\nThe why.\n\nMore of it.", "The why.", "The why.\n\nMore of it."],
])("%j", (message, title, text) => {
  expect(createPullRequestText(message, "pushed\nBoard: columns\n")).toEqual({
    title: title === "" ? "Board: columns" : `Practice: ${title}`,
    body: text === "" ? model : `${model}\n\n${text}`,
  });
});

test("without a known commit, the title is the message", () => {
  expect(createPullRequestText("/svc:open-pr", "error: failed to push").title).toBe("Practice: what was worked on");
});
