// What the agent reads about a pull request, and what the user has to decide first.
import { expect, test } from "vitest";
import {
  type OpenPrOutcome,
  planBase,
  toOpenPrAnswer,
  withEvidence,
} from "../../../../src/session/rules/pull-request/open.ts";
import {
  createAbandonedNote,
  createOpenedNote,
  createPendingNote,
} from "../../../../src/session/rules/pull-request/open-question.ts";

const clear = { logins: ["ada"], unclear: [] };
const grace = { name: "grace", isShared: true, logins: ["grace-h", "grace-k"] };
const moved = { from: "main", to: "next" };

test.each<[string, string | null, string | null, (typeof grace)[], ReturnType<typeof planBase>]>([
  ["a new one is for the Target Branch", null, null, [], { base: "next" }],
  ["a new one ignores a chosen branch", "main", null, [], { base: "next" }],
  ["an open one for the Target Branch stays", null, "next", [], { base: "next" }],
  ["an open one may stay on its branch", "main", "main", [], { base: "main" }],
  ["an open one may move", "next", "main", [], { base: "next" }],
  ["an open one without a choice asks", null, "main", [], { clarity: { ...clear, moved } }],
  ["an open one with another choice asks", "other", "main", [], { clarity: { ...clear, moved } }],
  ["a name that is unclear asks", null, null, [grace], { clarity: { ...clear, unclear: [grace], moved: null } }],
  [
    "a chosen branch is not asked again",
    "main",
    "main",
    [grace],
    { clarity: { ...clear, unclear: [grace], moved: null } },
  ],
  ["both are asked together", null, "main", [grace], { clarity: { ...clear, unclear: [grace], moved } }],
])("%s", (_, base, openBase, unclear, planned) =>
  expect(planBase({ base }, { openBase, targetBranch: "next", logins: ["ada"], unclear })).toEqual(planned),
);

const command = { title: "T", body: "B", evidence: [], isDraft: false, number: null, reviewers: null, base: null };
const opened: OpenPrOutcome = { type: "opened", number: 7, url: "https://host/7", base: "main" };

test.each<[string, Partial<Parameters<typeof toOpenPrAnswer>[0]>, OpenPrOutcome, object]>([
  ["a new one", {}, opened, { text: "Pull request 7 is open, ready for review: https://host/7", questions: null }],
  [
    "a changed draft",
    { isDraft: true, number: 7 },
    opened,
    { text: "Pull request 7 is up to date, a draft: https://host/7" },
  ],
  [
    "a warning",
    {},
    { ...opened, warning: "W" },
    { text: "Pull request 7 is open, ready for review: https://host/7\nW" },
  ],
  ["a refusal", {}, { type: "refused", reason: "No." }, { code: "BAD_REQUEST", message: "No." }],
  [
    "a question",
    {},
    { type: "unclear", clarity: { ...clear, moved } },
    { questions: [expect.objectContaining({ topic: "Target Branch" })] },
  ],
])("the tool returns %s", (_, changes, outcome, answer) =>
  expect(toOpenPrAnswer({ ...command, ...changes }, outcome)).toMatchObject(answer),
);

test.each([
  ["none", " B\n", [], "B"],
  ["a list of links", "B", ["https://a", "https://b"], "B\n\n## Evidence\n\n- https://a\n- https://b\n"],
])("the body has %s as evidence", (_, body, links, text) => expect(withEvidence(body, links)).toBe(text));

test("a body that is too long loses its end, and no evidence", () => {
  const body = withEvidence("x".repeat(70_000), ["https://a"]);
  expect(body.length).toBe(65_000);
  expect(body).toMatch(/x\n\n## Evidence\n\n- https:\/\/a\n$/);
});

test("the agent continues only with a pull request that still waits", () => {
  const pending = { ...clear, moved, title: "T", body: "B", evidence: [], isDraft: false, base: null, askedAt: 0 };
  expect(createAbandonedNote("T")).toMatchObject({ isOpen: false, note: expect.stringContaining('"T"') });
  expect(createOpenedNote("https://host/7")).toMatchObject({ isOpen: false, note: expect.stringContaining("host/7") });
  const { note, isOpen } = createPendingNote(pending, "No branch.");
  expect(isOpen).toBe(true);
  expect(note).toContain("Which branch should it be merged into? The service tried to continue");
  expect(note).toContain("could not: No branch. If the message");
  expect(createPendingNote(pending, null).note).toContain("merged into? If the message");
});
