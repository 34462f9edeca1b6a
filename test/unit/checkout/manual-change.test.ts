// Edits of files, commits and pushes while a turn runs (Part 1, "Files and commits").
import { expect, test } from "vitest";
import { turnStatuses } from "../../../src/chat/rules/turn.ts";
import { checkManualChange } from "../../../src/checkout/rules/manual-change.ts";
import { getVersion } from "../../../src/session/rules/version.ts";
import { sessionState, turn } from "../../support/session-state.ts";

test("a manual change is made in a session without a turn", () => {
  expect(checkManualChange(getVersion(sessionState()))).toBeNull();
});

test.each(turnStatuses)("a manual change beside a turn that is %s", (status) => {
  const refusal = checkManualChange(getVersion(sessionState({ turn: turn(status) })));
  expect(refusal?.code ?? null).toBe(["pending", "running"].includes(status) ? "JOB_ACTIVE" : null);
});
