// The logins of a subscription: their order, and their words.
import { expect, test } from "vitest";
import { describeStatus, type Login, listWindows, moveLogin, withOrder } from "../../console/src/account/logins.ts";

const login = (id: string, status: Login["status"] = "fallback"): Login => ({
  ...{ id, status, label: id, needsReauth: status === "reconnect_required", exhaustedUntil: null },
  authenticatedAt: "2026-01-01T00:00:00.000Z",
});

test.each([
  ["b", -1, "b a c"],
  ["b", 1, "a c b"],
  ["a", -1, "a b c"],
  ["c", 1, "a b c"],
  ["none", 1, "a b c"],
] as const)("%s moved by %i makes the order %s", (id, step, order) => {
  const logins = ["a", "b", "c"].map((one) => login(one));
  expect(moveLogin(logins, id, step).map((one) => one.id)).toEqual(order.split(" "));
});

test.each<[Login["status"][], Login["status"][]]>([
  [
    ["fallback", "in_use"],
    ["in_use", "fallback"],
  ],
  [
    ["limit_reached", "fallback", "in_use"],
    ["limit_reached", "in_use", "fallback"],
  ],
  [["reconnect_required"], ["reconnect_required"]],
])("the first of %j that can be used is in use", (before, after) => {
  const ordered = withOrder(before.map((status, place) => login(`l${place}`, status)));
  expect(ordered.map(({ status }) => status)).toEqual(after);
});

test("a status has words and a tone", () => {
  expect([login("a", "in_use"), login("b", "limit_reached")].map(describeStatus)).toEqual([
    ["in use", "good"],
    ["at its limit", "asks"],
  ]);
});

const window = (utilization: number) => ({ utilization, resetsAt: null });

test("the windows that a plan has are listed by name", () => {
  const fetchedAt = "2026-01-01T00:00:00.000Z";
  const names = (usage: Parameters<typeof listWindows>[0]) => listWindows(usage).map(({ name }) => name);
  expect(names({ session: window(1), week: window(2), fetchedAt })).toEqual(["5 hours", "7 days"]);
  expect(names({ session: window(1), week: null, month: window(3), fetchedAt })).toEqual(["5 hours", "A month"]);
});
