import { describe, expect, it } from "vitest";
import {
  checkTimezone,
  listSlugsBeside,
  refuseSlug,
  toSlugOfName,
  workspaceSlugPattern,
} from "../../../src/workspace/rules/workspace.ts";

describe("a slug", () => {
  it.each(["ab", "a1", "a-b", "42", "a--b"])("may be %s", (slug) => {
    expect(slug).toMatch(workspaceSlugPattern);
  });

  it.each(["a", "-a", "a-", "A1", "a_b", "ä1", "a b", ""])("is not %j", (slug) => {
    expect(slug).not.toMatch(workspaceSlugPattern);
  });

  it.each([
    ["Switchyard Demo", "switchyard-demo"],
    ["Ångström & Co.", "angstrom-co"],
    ["X", "fallback"],
    ["日本", "fallback"],
    [`${"a".repeat(39)} b`, "a".repeat(39)],
  ])("of the name %j is %s", (name, slug) => {
    expect(toSlugOfName(name, "fallback")).toBe(slug);
  });

  it("that is taken is refused with free ones, and the offered ones are valid", () => {
    expect(refuseSlug("acme", "acme-2")).toMatchObject({ code: "CONFLICT", details: { slug: "acme-2" } });
    expect(listSlugsBeside("acme", "x7k2").slice(0, 2)).toEqual(["acme-2", "acme-3"]);
    expect(listSlugsBeside("acme", "x7k2").at(-1)).toBe("acme-x7k2");
    for (const taken of ["ab", "a".repeat(40), `${"a".repeat(36)}-bcd`]) {
      const offers = listSlugsBeside(taken, "x7k2m9p4");
      expect(new Set(offers).size).toBe(offers.length);
      for (const offer of offers) {
        expect(offer).toMatch(workspaceSlugPattern);
        expect(offer.length).toBeLessThanOrEqual(40);
      }
    }
  });
});

describe("a timezone", () => {
  it.each(["UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Calcutta", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])(
    "is %s",
    (zone) => expect(checkTimezone(zone)).toBeNull(),
  );

  it.each(["+05:30", "-08:00", "+0530", "Mars/Olympus", "", " UTC", "2026"])("is not %j", (zone) => {
    expect(checkTimezone(zone)).toMatchObject({ code: "VALIDATION_ERROR", details: [{ path: "timezone" }] });
  });
});
