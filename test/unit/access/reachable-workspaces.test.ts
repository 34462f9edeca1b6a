import { describe, expect, it } from "vitest";
import { checkWorkspaces, findReach, type ListFacts } from "../../../src/access/rules/reachable-workspaces.ts";

const user = { id: "usr_1", name: "Olive", email: "olive@example.com", imageUrl: null };

describe("the workspaces that a caller reaches", () => {
  it("are those of its user, unless its key is bound to one", () => {
    expect(findReach({ user, workspaceId: null, projectId: null })).toEqual({ kind: "memberships", userId: "usr_1" });
    expect(findReach({ user, workspaceId: "ws_1", projectId: null })).toEqual({
      kind: "workspace",
      workspaceId: "ws_1",
      projectId: null,
    });
    expect(findReach({ user: null, workspaceId: "ws_1", projectId: "p_1" })).toEqual({
      kind: "workspace",
      workspaceId: "ws_1",
      projectId: "p_1",
    });
    expect(findReach({ user: null, workspaceId: null, projectId: null })).toBeNull();
  });

  const facts: ListFacts = { workspaceIds: ["ws_1", "ws_2"], reached: ["ws_1"] };
  it.each<[string, string[], string | null]>([
    ["none", [], null],
    ["one that is reached", ["ws_1"], null],
    ["one of others", ["ws_1", "ws_2"], "FORBIDDEN"],
    ["an unknown one", ["ws_1", "ws_3"], "NOT_FOUND"],
  ])("bound what a list names: %s", (_, named, code) => {
    expect(checkWorkspaces(named, facts)?.code ?? null).toBe(code);
  });
});
