import { expect, it } from "vitest";
import { checkPreviewable } from "../../../src/preview/rules/previewable.ts";

it.each([
  ["never deployed", { isLive: false, holdsSessionsUp: false }, "has to be deployed"],
  ["deployed for the first time", { isLive: false, holdsSessionsUp: true }, "is being deployed"],
  ["live", { isLive: true, holdsSessionsUp: false }, null],
  ["deployed once more by a member", { isLive: true, holdsSessionsUp: true }, "is being deployed"],
])("a session's preview of a project that is %s", (_, project, reason) => {
  const refusal = checkPreviewable(project);
  expect(refusal?.code ?? null).toBe(reason === null ? null : "BAD_REQUEST");
  expect(refusal?.message ?? "").toContain(reason ?? "");
});
