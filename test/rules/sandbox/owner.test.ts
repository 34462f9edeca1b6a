import { describe, expect, it } from "vitest";
import { isSameOwner, sessionSandboxOwner, turnOwnerOf } from "../../../src/rules/sandbox/owner.ts";
import { sessionStatuses } from "../../../src/rules/session/status.ts";
import { owner } from "../../support/sandbox-state.ts";

const session = { ...owner, targetBranch: "main", status: "active" } as const;

describe("the owner of a session's sandbox", () => {
  it.each(sessionStatuses.map((status) => [status, status === "active" || status === "under-review"] as const))(
    "of a session that is %s is there: %s",
    (status, isThere) => {
      expect(sessionSandboxOwner({ ...session, status })).toEqual(isThere ? owner : null);
    },
  );

  it("is not there before the session has a branch", () => {
    expect(sessionSandboxOwner({ ...session, branch: null })).toBeNull();
  });

  it("stays the same when the Target Branch changes", () => {
    expect(isSameOwner(owner, { ...owner, baseBranch: "next" })).toBe(true);
  });
});

it("a session's sandbox works for the session, any other for nobody", () => {
  expect(turnOwnerOf(owner)).toEqual({ type: "session", id: owner.id });
  expect(turnOwnerOf({ ...owner, type: "main" })).toBeNull();
  expect(turnOwnerOf({ ...owner, type: "spare" })).toBeNull();
});
