import { expect, test } from "vitest";
import { notificationBackoff } from "../../../src/notification/rules/notification.ts";
import { getMeaning, getWebMeaning, type Meaning } from "../../../src/notification/rules/response.ts";
import { getBackoffMs } from "../../../src/rules/backoff.ts";
import { notificationLifetimeMs } from "../../../src/rules/limits.ts";

test.each<[status: number, reason: string | null, meaning: Meaning, ofRenewed?: Meaning]>([
  [200, null, "delivered"],
  [410, "Unregistered", "forget"],
  [410, "ExpiredToken", "forget"],
  [410, null, "forget"],
  [400, "BadDeviceToken", "forget"],
  [400, "DeviceTokenNotForTopic", "forget"],
  [400, "BadTopic", "refused"],
  [400, null, "refused"],
  [403, "ExpiredProviderToken", "new-token", "again"],
  [403, "InvalidProviderToken", "refused"],
  [404, "BadPath", "refused"],
  [413, "PayloadTooLarge", "refused"],
  [302, null, "refused"],
  [429, "TooManyRequests", "again"],
  [429, "TooManyProviderTokenUpdates", "again"],
  [500, "InternalServerError", "again"],
  [503, null, "again"],
  [0, null, "again"],
])("%i %s is %s", (status, reason, meaning, ofRenewed = meaning) => {
  expect(getMeaning({ status, reason }, false)).toBe(meaning);
  expect(getMeaning({ status, reason }, true)).toBe(ofRenewed);
});

test("the delays grow, and about twenty attempts fill the hour", () => {
  const pauses = Array.from({ length: 20 }, (_, place) => getBackoffMs(place + 1, notificationBackoff));
  expect(pauses.slice(0, 10)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1_000));
  const sum = pauses.reduce((total, pause) => total + pause, 0);
  expect(sum).toBeGreaterThan(notificationLifetimeMs);
  expect(sum).toBeLessThan(notificationLifetimeMs * 1.25);
});

test.each<[status: number, meaning: Meaning]>([
  [200, "delivered"],
  [201, "delivered"],
  [202, "delivered"],
  [302, "refused"],
  [400, "refused"],
  [403, "refused"],
  [404, "forget"],
  [410, "forget"],
  [413, "refused"],
  [429, "again"],
  [500, "again"],
  [503, "again"],
  [0, "again"],
])("%i of a browser's push service means %s", (status, meaning) => {
  expect(getWebMeaning({ status, reason: null })).toBe(meaning);
});
