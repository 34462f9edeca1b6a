// Trials of triggers in the console: each result has words.
import { expect, test } from "vitest";
import { describeTrial, parsePayload } from "../../console/src/project/trigger-trial.ts";

test("a payload is JSON", () => {
  expect(parsePayload('{"a":1}')).toEqual({ payload: { a: 1 } });
  expect(parsePayload("{")).toBeNull();
});

const none = { place: null, cause: null, sessionId: null } as const;
const trial = { matches: true, action: "start", reason: null, answer: "none", ...none } as const;
test.each([
  [trial, "Starts a session", null],
  [{ ...trial, action: "file" as const }, "Puts a session into the Backlog", null],
  [{ ...trial, answer: "link" as const }, "Starts a session", "A comment has the state and the link of the session."],
  [
    { ...trial, answer: "text" as const },
    "Starts a session",
    "A comment has the state and the link of the session, and the answer.",
  ],
  [{ ...trial, sessionId: "s1" }, "Sends a message to its session", null],
  [{ ...trial, reason: "backlog" }, "Is skipped", "Its session waits in the Backlog."],
  [{ ...trial, matches: false, reason: "filters" }, "Does not run", "Its filters do not match."],
  [{ ...trial, matches: false, reason: "something_new" }, "Does not run", "something_new"],
])("%j is %s", (found, word, why) => {
  expect(describeTrial(found)).toMatchObject({ word, why });
});
