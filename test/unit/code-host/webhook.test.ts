// When a failed webhook is repeated, and which ones the code host is asked to send again.
import { expect, test } from "vitest";
import {
  type DeliveryAttempt,
  findNextTryAt,
  getInboxDelayMs,
  listMissedDeliveries,
} from "../../../src/code-host/rules/webhook.ts";

const second = 1_000;
const hour = 3_600 * second;

test.each([
  [1, 0, 1 * second],
  [2, 1 * second, 2 * second],
  [9, 10 * 60 * second, 256 * second],
  [10, 20 * 60 * second, 300 * second],
  [5_000, 71 * hour, 300 * second],
])("after %i attempts, %i ms after its arrival, it waits %i ms", (attempts, now, pause) => {
  expect(findNextTryAt({ receivedAt: 0, attempts }, now)).toBe(now + pause);
});

test.each([
  [1, 50],
  [2, 100],
  [5, 800],
  [6, 1 * second],
  [2_000, 1 * second],
])("after %i failures in a row an inbox pauses for %i ms", (failures, rest) => {
  expect(getInboxDelayMs(failures)).toBe(rest);
});

test("it expires three days after its arrival", () => {
  expect(findNextTryAt({ receivedAt: 5, attempts: 3 }, 5 + 72 * hour)).toBeNull();
  expect(findNextTryAt({ receivedAt: 5, attempts: 3 }, 4 + 72 * hour)).not.toBeNull();
});

const tried = (guid: string, ...statusCodes: number[]): DeliveryAttempt[] =>
  statusCodes.map((statusCode, at) => ({ id: at, guid, event: "push", deliveredAt: at, statusCode }));

test.each<[string, number[], number[]]>([
  ["came through", [204], []],
  ["came through at the second attempt", [503, 204], []],
  ["came through before an attempt that failed", [204, 0], []],
  ["was not answered", [0], [0]],
  ["failed twice", [500, 502], [1]],
  ["came too often", [429], [0]],
  ["was refused as unsigned", [401], []],
  ["failed, then was refused", [500, 400], []],
])("a delivery that %s", (_, statusCodes, missed) => {
  const others = [...tried("through", 500, 200), ...tried("lost", 503)];
  const found = listMissedDeliveries([...others, ...tried("this", ...statusCodes)].reverse());
  expect(found.filter(({ guid }) => guid === "this").map(({ id }) => id)).toEqual(missed);
  expect(found.filter(({ guid }) => guid !== "this").map(({ guid }) => guid)).toEqual(["lost"]);
});
