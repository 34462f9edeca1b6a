// The comment that answers on an issue or a pull request: what it shows, and when it is written
// again.
import { expect, test } from "vitest";
import type { SessionState } from "../../../src/session/rules/session.ts";
import { formatAnswer, getStateWord, listAnswerReminders } from "../../../src/trigger/rules/answer.ts";
import { sessionState, turn } from "../../support/session-state.ts";

const answers = { automatic: { attempts: 0, review: null, answers: true } } as const;
const state = (changes: Parameters<typeof sessionState>[0] = {}) =>
  sessionState({ ...changes, session: { ...answers, ...changes?.session } });
/** A session whose attempts are used up, with this verdict of its newest commit's checks. */
const usedUp = (verdict: "failed" | "passed") =>
  state({
    turn: turn("completed"),
    session: {
      automatic: { ...answers.automatic, isUsedUp: true },
      prReport: { sha: "a1", shaAt: 0, changedAt: 0, checks: {}, verdict },
    },
  });
const publicUrl = "https://switchyard.test";

test.each<[string, SessionState, string]>([
  ["a pending turn", state({ turn: turn("pending") }), "Working on it"],
  ["a running turn", state({ turn: turn("running") }), "Working on it"],
  ["a question", state({ turn: turn("awaiting_response") }), "Has a question"],
  ["a failed turn", state({ turn: turn("failed") }), "Failed"],
  ["a stopped turn", state({ turn: turn("cancelled") }), "Stopped"],
  ["a completed turn", state({ turn: turn("completed") }), "Done"],
  [
    "a failed check after the last attempt",
    usedUp("failed"),
    "The checks still fail. Please look, and write what to do",
  ],
  ["a passing check after the last attempt", usedUp("passed"), "Done"],
  ["a filed session", state({ session: { status: "backlog" } }), "Waits in the Backlog"],
  ["an archived session", state({ session: { status: "archived" } }), "Archived"],
])("%s", (_, at, word) => {
  expect(getStateWord(at)).toBe(word);
});

test("an answer is cut and notifies nobody, and its links are those of the session", () => {
  const at = state({ turn: turn("completed") });
  const { id, projectId } = at.session;
  const start = `<!-- switchyard ${projectId} -->\n\n**Done**: [open the session](${publicUrl}/s/${id})`;
  const shown = { publicUrl, text: null, slug: null, number: 7 };
  expect(formatAnswer(at, shown)).toBe(start);
  expect(formatAnswer(at, { ...shown, text: "Hello @mia." })).toBe(`${start}\n\nHello @\u200bmia.`);
  expect(formatAnswer(at, { ...shown, text: "x".repeat(5_000) })).toBe(`${start}\n\n${"x".repeat(4_000)}`);
  const preview = `[open the preview](${publicUrl}/shared/secret)`;
  expect(formatAnswer(at, { ...shown, slug: "secret" })).toBe(`${start}, ${preview}`);
  const pull = { prNumber: 8, prUrl: "https://host/pull/8" };
  const proposed = state({ turn: turn("completed"), session: pull });
  const link = "[pull request #8](https://host/pull/8)";
  expect(formatAnswer(proposed, { ...shown, slug: "secret" })).toBe(`${start}, ${link}, ${preview}`);
  // On its own pull request.
  expect(formatAnswer(proposed, { ...shown, number: 8 })).toBe(start);
});

const remind = [{ type: "remind", name: "answer-places", at: 5 }];
test.each<[string, SessionState | null, SessionState | null, unknown[]]>([
  ["a started turn", state(), state({ turn: turn("pending") }), remind],
  ["an ended turn", state({ turn: turn("running") }), state({ turn: turn("completed") }), remind],
  ["a status", state(), state({ session: { status: "archived" } }), remind],
  ["another place", sessionState(), state(), remind],
  ["a pull request", state(), state({ session: { prUrl: "https://host/pull/8" } }), remind],
  ["a pending turn that runs", state({ turn: turn("pending") }), state({ turn: turn("running") }), []],
  ["the end of the attempts", state({ turn: turn("completed") }), usedUp("failed"), remind],
  ["failed checks again", usedUp("failed"), usedUp("failed"), []],
  ["a title", state(), state({ session: { title: "Another" } }), []],
  ["a session without such comments", sessionState(), sessionState({ turn: turn("pending") }), []],
  ["a deletion", state(), null, []],
])("the comments follow %s", (_, before, after, effects) => {
  expect(listAnswerReminders(before, after, 5)).toEqual(effects);
});
