import { describe, expect, it } from "vitest";
import type { Author } from "../../../src/access/rules/actor.ts";
import type { RefusalCode } from "../../../src/rules/refusal.ts";
import { send } from "../../../src/session/rules/send.ts";
import type { SessionState } from "../../../src/session/rules/session.ts";
import { checkVersion, getVersion } from "../../../src/session/rules/version.ts";
import {
  byAuthor,
  byMember,
  cron,
  now,
  otherSession,
  refusalCode,
  relay,
  sendCommand,
  sendFacts,
  sessionState,
  turn,
  waiting,
} from "../../support/session-state.ts";

const idle = () => sessionState({ turn: turn("completed") });
const busy = () => sessionState({ turn: turn("running") });
const unassigned = () => sessionState({ session: { assignee: null } });
const assignedToService = () => sessionState({ session: { assignee: { kind: "service" } } });
const bob = { kind: "member", userId: "usr_bob", name: "usr_bob", imageUrl: null } as const;

/** The state that a message saw when it was sent, and the state that it meets. */
const rows: [promise: string, saw: SessionState, finds: SessionState, code: RefusalCode | null][] = [
  ["nothing changed", idle(), idle(), null],
  ["the title changed", idle(), sessionState({ turn: turn("completed"), session: { title: "Other" } }), null],
  ["a turn started", idle(), busy(), "JOB_IN_PROGRESS"],
  ["a first turn started and brought the model", sessionState({ model: null }), busy(), "JOB_IN_PROGRESS"],
  ["a turn started and ended", idle(), sessionState({ turn: turn("completed", { id: "turn-2" }) }), null],
  ["the turn it was to wait for ended", busy(), idle(), null],
  ["another turn runs by now", busy(), sessionState({ turn: turn("running", { id: "turn-2" }) }), null],
  ["Up next grew", busy(), sessionState({ turn: turn("running"), upNext: waiting("a") }), null],
  ["the session ended", idle(), sessionState({ session: { status: "archived" } }), "SESSION_STATUS_CHANGED"],
  [
    "the session went Under Review",
    idle(),
    sessionState({ session: { status: "under-review" } }),
    "SESSION_STATUS_CHANGED",
  ],
  ["the model changed", idle(), sessionState({ model: "openai:gpt__high" }), "SESSION_STATUS_CHANGED"],
  ["the Assignee changed", idle(), sessionState({ session: { assignee: bob } }), "SESSION_STATUS_CHANGED"],
  ["the branch changed", idle(), sessionState({ session: { branch: "svc/other" } }), "SESSION_STATUS_CHANGED"],
  ["the service became the Assignee", unassigned(), assignedToService(), "SESSION_STATUS_CHANGED"],
  ["the service stays the Assignee", assignedToService(), assignedToService(), null],
  ["/clear ran", idle(), sessionState({ conversationId: "conversation-2" }), "SESSION_STATUS_CHANGED"],
  [
    "the session went Under Review while it was to wait",
    busy(),
    sessionState({ turn: turn("running"), session: { status: "under-review" } }),
    "SESSION_CHANGED",
  ],
  [
    "the model changed after the turn that it was to wait for",
    busy(),
    sessionState({ turn: turn("completed"), model: "openai:gpt__high" }),
    "SESSION_CHANGED",
  ],
  [
    "/clear ran after the turn that it was to wait for",
    busy(),
    sessionState({ turn: turn("completed"), conversationId: "conversation-2" }),
    "SESSION_CHANGED",
  ],
  [
    "another member resumed the session and a turn runs",
    sessionState({ session: { status: "under-review" } }),
    busy(),
    "SESSION_STATUS_CHANGED",
  ],
  [
    "the session ended while it was to wait",
    busy(),
    sessionState({ session: { status: "completed" } }),
    "SESSION_CHANGED",
  ],
  [
    "the Assignee changed while it was to wait",
    busy(),
    sessionState({ turn: turn("running"), session: { assignee: bob } }),
    "SESSION_CHANGED",
  ],
];

describe("a message that was long in transit", () => {
  it.each(rows)("%s", (_, saw, finds, code) => {
    expect(refusalCode(checkVersion(finds, getVersion(saw), byMember()))).toBe(code);
  });

  it.each<[string, Author]>([
    ["a cron", cron],
    ["another session", otherSession],
    ["a relay", relay],
  ])("of %s cannot resume a session that went Under Review meanwhile", (_, author) => {
    for (const present of [turn("completed"), turn("running")]) {
      const finds = sessionState({ turn: present, session: { status: "under-review" } });
      for (const saw of [idle(), busy()])
        expect(refusalCode(checkVersion(finds, getVersion(saw), byAuthor(author)))).toBe("SESSION_UNDER_REVIEW");
    }
  });

  it.each(rows)("is delivered or not: %s", (_, saw, finds, code) => {
    const decision = send(finds, sendCommand({ seen: getVersion(saw) }), sendFacts(), now);
    expect(refusalCode(decision)).toBe(code);
  });

  it("without a precondition is always delivered", () => {
    expect(checkVersion(sessionState({ session: { status: "archived" } }), null, byMember())).toBeNull();
  });
});
