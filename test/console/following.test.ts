// When a conversation follows its end, and when it stays where a person reads.
import { expect, test } from "vitest";
import { isFollowing, type Place } from "../../console/src/conversation/following.ts";

const at = (scrollTop: number, scrollHeight: number, clientHeight: number): Place => ({
  ...{ scrollTop, scrollHeight, clientHeight },
});

test.each<[what: string, follows: boolean, was: boolean, last: Place, now: Place, isHeld?: boolean]>([
  ["follows while content is added", true, true, at(600, 1000, 400), at(600, 1200, 400)],
  ["stays where the reader moves up", false, true, at(600, 1000, 400), at(590, 1000, 400)],
  ["follows where the content becomes shorter", true, true, at(600, 1000, 400), at(500, 900, 400)],
  ["stays where the reader moves up by more than that", false, true, at(600, 1000, 400), at(450, 900, 400)],
  ["follows where its window becomes higher", true, true, at(600, 1000, 400), at(480, 1000, 520)],
  ["follows where both happen", true, true, at(600, 1000, 400), at(380, 900, 520)],
  ["stays where the reader moves up in a higher window", false, true, at(600, 1000, 400), at(400, 1000, 520)],
  ["follows where its window becomes lower", true, true, at(600, 1000, 400), at(600, 1000, 300)],
  ["stays while the reader is elsewhere", false, false, at(100, 1000, 400), at(100, 1200, 400)],
  ["follows again near the end", true, false, at(540, 1000, 400), at(560, 1000, 400)],
  ["stays near the end after a slow move away", false, false, at(570, 1000, 400), at(565, 1000, 400)],
  ["stays at the end while a place is held", false, false, at(560, 1000, 400), at(600, 1000, 400), true],
])("a list %s", (_, follows, was, last, now, isHeld = false) => {
  expect(isFollowing(was, last, now, isHeld)).toBe(follows);
});
