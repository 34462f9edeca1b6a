import { describe, expect, it } from "vitest";
import type { refusals } from "../../../src/rules/refusal.ts";
import {
  type AcceptFacts,
  checkAcceptance,
  checkInvitation,
  toAddress,
} from "../../../src/workspace/rules/invitation.ts";

describe("an invitation", () => {
  it("ignores the case of an address", () => {
    expect(toAddress(" Mia@Example.COM ")).toBe("mia@example.com");
  });

  it.each([
    [{ isMember: false, otherOpenInvitations: 499 }, null],
    [{ isMember: false, otherOpenInvitations: 500 }, "BAD_REQUEST"],
    [{ isMember: true, otherOpenInvitations: 0 }, "CONFLICT"],
  ])("with %j is refused with %s", (facts, code) => {
    expect(checkInvitation(facts)?.code ?? null).toBe(code);
  });

  const open: AcceptFacts = { address: "mia@example.com", email: "Mia@example.com", isMember: false };
  it.each<[string, Partial<AcceptFacts>, keyof typeof refusals | null]>([
    ["of one's own", {}, null],
    ["that is over", { address: null }, "NOT_FOUND"],
    ["that is over, for a member", { address: null, isMember: true }, "NOT_FOUND"],
    ["of another address", { email: "max@example.com" }, "FORBIDDEN"],
    ["for a member", { isMember: true }, "CONFLICT"],
  ])("%s is refused with the right code", (_, facts, code) => {
    expect(checkAcceptance({ ...open, ...facts })?.code ?? null).toBe(code);
  });

  it("of another address is refused without revealing the address", () => {
    expect(checkAcceptance({ ...open, email: "max@example.com" })?.message).not.toMatch(/@|mia|max/i);
  });
});
