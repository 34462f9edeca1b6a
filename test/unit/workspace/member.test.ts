import { describe, expect, it } from "vitest";
import { checkRemoval, checkRoleChange, checkTransfer, type MemberFacts } from "../../../src/workspace/rules/member.ts";

const other = (role: MemberFacts["role"]) => ({ role, isSelf: false });
const self = (role: MemberFacts["role"]) => ({ role, isSelf: true });

describe("a member", () => {
  it.each<[MemberFacts, string | null, string | null, string | null]>([
    // member          change of role  removal        transfer to them
    [other("member"), null, null, null],
    [other("admin"), null, null, null],
    [other("owner"), "BAD_REQUEST", "BAD_REQUEST", null],
    [other(null), "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"],
    [self("admin"), "BAD_REQUEST", null, "BAD_REQUEST"],
    [self("member"), "BAD_REQUEST", null, "BAD_REQUEST"],
    [self("owner"), "BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST"],
  ])("%j", (change, role, removal, transfer) => {
    expect(checkRoleChange(change)?.code ?? null).toBe(role);
    expect(checkRemoval(change)?.code ?? null).toBe(removal);
    expect(checkTransfer(change)?.code ?? null).toBe(transfer);
  });

  it("the owner is asked to transfer first", () => {
    const refusals = [checkRoleChange(other("owner")), checkRemoval(other("owner")), checkRemoval(self("owner"))];
    for (const refusal of refusals) expect(refusal?.message).toContain("Transfer the ownership first.");
  });
});
