// The words of the console's audit log, compared with what the service records.
import { expect, test, vi } from "vitest";
import { describeOperation } from "../../../console/src/workspace/audit-words.ts";
import { isAudited } from "../../../src/audit/rules/audited.ts";

vi.mock("cloudflare:workers", () => ({ waitUntil: () => {} }));
const { endpoints } = await import("../../../src/endpoints.ts");

test("each operation that is recorded has words", () => {
  const recorded = endpoints.flatMap(({ operation, access, method }) =>
    access !== "public" && isAudited(access, method) ? [operation] : [],
  );
  expect(recorded).toContain("openTerminal");
  const unknown = [
    ...recorded,
    "signIn",
    "connectCodeHost",
    "connectAgent",
    "oauth.reuse-code",
    "oauth.reuse-token",
  ].filter((name) => /^ran [\w-]+$/.test(describeOperation(name)));
  expect(unknown).toEqual([]);
});
