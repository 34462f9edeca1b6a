import { describe, expect, it } from "vitest";
import {
  findSessionSandboxOwner,
  findTurnOwner,
  getMainSandboxOwner,
  getSpareSandboxOwner,
  isSameOwner,
} from "../../../src/sandbox/rules/owner.ts";
import { sessionStatuses } from "../../../src/session/rules/status.ts";
import { owner } from "../../support/sandbox-state.ts";

const session = { ...owner, targetBranch: "main", status: "active" } as const;

describe("the owner of a session's sandbox", () => {
  it.each(sessionStatuses.map((status) => [status, status === "active" || status === "under-review"] as const))(
    "of a session that is %s exists: %s",
    (status, isThere) => {
      expect(findSessionSandboxOwner({ ...session, status })).toEqual(isThere ? owner : null);
    },
  );

  it("does not exist before the session has a branch", () => {
    expect(findSessionSandboxOwner({ ...session, branch: null })).toBeNull();
  });

  it("does not change with the Target Branch", () => {
    expect(isSameOwner(owner, { ...owner, baseBranch: "next" })).toBe(true);
  });
});

it("a session's sandbox belongs to the session, a main one to its project, a spare to no turn owner", () => {
  expect(findTurnOwner(owner)).toEqual({ type: "session", id: owner.id });
  expect(findTurnOwner({ ...owner, type: "main" })).toEqual({ type: "project", id: owner.id });
  expect(findTurnOwner({ ...owner, type: "spare" })).toBeNull();
});

it("a main sandbox works on the Target Branch, a spare on a branch that nobody else has", () => {
  const project = { id: "project-1", workspaceId: "ws_1", targetBranch: "next" };
  expect(getMainSandboxOwner(project)).toMatchObject({
    type: "main",
    id: "project-1",
    branch: "next",
    baseBranch: "next",
  });
  const spares = ["s1", "s2"].map((key) => getSpareSandboxOwner(project, key).branch);
  expect(new Set([...spares, "next"]).size).toBe(3);
});
