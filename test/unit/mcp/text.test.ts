// What tools answer: outcomes, and texts of a bounded length.
import { describe, expect, it, test } from "vitest";
import {
  findLastAnswer,
  formatMessages,
  formatSession,
  listQuestions,
  type MessageData,
  type Outcome,
  type SessionData,
  toOutcome,
  toShortText,
} from "../../../src/mcp/rules/text.ts";

describe("the outcome of the newest turn", () => {
  it.each<[status: string | null, errorCode: string | null, outcome: Outcome]>([
    [null, null, "idle"],
    ["pending", null, "working"],
    ["running", null, "working"],
    ["awaiting_response", null, "asks"],
    ["completed", null, "done"],
    ["cancelled", null, "stopped"],
    ["failed", null, "failed"],
    ["failed", "context_window_exceeded", "failed"],
    ["failed", "credit_limit_reached", "limit"],
    ["failed", "subscription_limit_reached", "limit"],
    ["failed", "provider_rate_limited", "limit"],
  ])("%s with %s is %s", (status, errorCode, outcome) => {
    expect(toOutcome(status === null ? null : { status, errorCode })).toBe(outcome);
  });
});

test("a text of 20,000 characters is whole, and a longer one says how to read on", () => {
  const whole = "a".repeat(20_000);
  expect(toShortText(whole, "Read on.")).toBe(whole);
  expect(toShortText(`${whole}b`, "Read on.")).toBe(`${whole}\n\n[Cut after 20000 of 20001 characters. Read on.]`);
});

const session: SessionData = {
  ...{
    id: "s1",
    projectId: "p1",
    title: "Sort",
    status: "active",
    model: null,
    branch: "svc/sort",
    targetBranch: "main",
  },
  ...{ prUrl: null, prState: null, needsYouReason: null, latestChatJob: null },
  ...{ queue: { count: 0, paused: null }, sessionUrl: "https://sy.example/s1", updatedAt: "" },
};

test("a session shows what there is of it", () => {
  expect(formatSession({ ...session, branch: null })).toBe(
    "Sort (s1)\nstatus: active\nnewest turn: none\naddress: https://sy.example/s1",
  );
  const waiting = { needsYouReason: "failed", latestChatJob: { id: "j", status: "failed", jobNumber: 3 } };
  const proposed = { prUrl: "https://host/pull/1", prState: "open", queue: { count: 2, paused: "failed" } };
  expect(
    formatSession({ ...session, ...waiting, ...proposed })
      .split("\n")
      .slice(1, -1),
  ).toEqual([
    "status: active, waits for its member: failed",
    "newest turn: 3, failed",
    "branch: svc/sort",
    "pull request: https://host/pull/1 (open)",
    "Up next: 2 messages, paused",
  ]);
});

const base = { id: "m", jobId: "j", author: null, createdAt: "" };
const question = { topic: "Colour", question: "Which?", options: [{ title: "red", description: "as fire" }] };
const messages: MessageData[] = [
  { ...base, role: "user", content: "Go.", blocks: [], author: { kind: "member", name: "Mia" } },
  {
    ...{ ...base, role: "assistant", content: null },
    blocks: [
      { type: "tool", title: "ls", status: "completed", output: "a\nb\n" },
      { type: "tool", title: "true", status: "running", output: null },
      { type: "artifact", slug: "board", title: "Board" },
      { type: "plan" },
      { type: "text", content: "Done." },
      // A text that was void.
      { type: "text", content: "" },
      { type: "clarification", clarificationData: { questions: [question] } },
    ],
  },
];

test("a conversation is Markdown that names who says what", () => {
  expect(formatMessages(messages)).toBe(
    [
      "## Mia\n\nGo.",
      "## Agent\n\n[tool: ls, completed]\n\n    a\n    b\n\n[tool: true, running]\n\n[artifact: board, Board]\n\n[plan]\n\nDone.",
      "Question 0: Which?\n  0: red – as fire",
    ].join("\n\n"),
  );
  const job = { id: "j" };
  expect(findLastAnswer(messages, job)).toBe("Done.");
  expect(listQuestions(messages, job)).toEqual([question]);
  expect([findLastAnswer([], job), listQuestions(messages.slice(0, 1), job)]).toEqual(["", []]);
});

test("a turn that said nothing has neither the answer nor the questions of an earlier one", () => {
  const job = { id: "next" };
  const conversation = [...messages, { ...base, jobId: job.id, role: "user", content: "Again.", blocks: [] }];
  for (const read of [messages, conversation])
    expect([findLastAnswer(read, job), listQuestions(read, job)]).toEqual(["", []]);
  expect(listQuestions(conversation, { id: "j" })).toEqual([question]);
});
