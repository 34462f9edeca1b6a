import { expect, it } from "vitest";
import { getSealingIdentity, getWorkspaceLogin, type LoginName } from "../../../src/provider-login/rules/login.ts";

it("a workspace's login keeps its sealing identity and the name of its object", () => {
  const login = getWorkspaceLogin("org_acme", "openai");
  expect(getSealingIdentity(login)).toBe("workspace-credential:org_acme:openai");
  expect(login.id).toBe("org_acme:openai");
});

it("no two logins have the same identity, for any owners", () => {
  const ofMember = (id: string, memberId: string): LoginName => ({
    owner: { type: "member", id: memberId },
    provider: "openai",
    id,
  });
  const logins = [
    ...[getWorkspaceLogin("a", "openai"), getWorkspaceLogin("a", "zai"), getWorkspaceLogin("b", "openai")],
    ...[ofMember("login-1", "a"), ofMember("login-2", "a"), ofMember("login-3", "b")],
  ];
  expect(new Set(logins.map(getSealingIdentity)).size).toBe(logins.length);
});
