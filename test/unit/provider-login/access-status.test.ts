import { expect, it } from "vitest";
import { getAccessStatus } from "../../../src/provider-login/rules/access-status.ts";

const good = { needsReauth: false };
const over = { needsReauth: true };

it.each([
  [[], null, { canRun: false, via: null, needsReauth: false }],
  [[], good, { canRun: true, via: "workspace", needsReauth: false }],
  [[], over, { canRun: false, via: "workspace", needsReauth: true }],
  [[good], null, { canRun: true, via: "subscription", needsReauth: false }],
  [[over, good], good, { canRun: true, via: "subscription", needsReauth: false }],
  [[over, over], good, { canRun: false, via: "subscription", needsReauth: true }],
])("own logins %j and the workspace's credential %j have the status %j", (own, credential, status) => {
  expect(getAccessStatus(own, credential)).toEqual(status);
});
