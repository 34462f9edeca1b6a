import { expect, it } from "vitest";
import { accessStatus } from "../../../src/rules/model/access-status.ts";

it.each([
  [null, { canRun: false, via: null, needsReauth: false }],
  [{ needsReauth: false }, { canRun: true, via: "workspace", needsReauth: false }],
  [{ needsReauth: true }, { canRun: false, via: "workspace", needsReauth: true }],
] as const)("a workspace's credential %j has the status %j", (credential, status) => {
  expect(accessStatus(credential)).toEqual(status);
});
