// Starts that are repeated.
import { expect, test } from "vitest";
import { getStartRetryDelayMs, isNotStarted, isOutOfRoom } from "../../../src/sandbox/rules/container.ts";

test.each([
  ["Error: there is no container instance that can be provided to this durable object", true],
  ["you are requesting too many containers per second", true],
  ["the sandbox host answered 503: You are requesting too many containers per second", true],
  ["The container did not end in time.", false],
  ["the image is missing", false],
])("%j lacks room: %s", (reason, expected) => {
  expect(isOutOfRoom(reason)).toBe(expected);
});

test.each([
  ["Error: Container failed to start", true],
  ["there is no container instance that can be provided to this durable object", false],
  ["container exited with unexpected exit code: 1", false],
])("%j was not started: %s", (reason, expected) => {
  expect(isNotStarted(reason)).toBe(expected);
});

test.each([
  [1, 0, 500],
  [1, 1, 1_000],
  [2, 0, 1_000],
  [4, 0.5, 6_000],
  [5, 1, 15_000],
  [1_000, 0, 7_500],
])("before attempt %i + 1 it waits, with %d drawn, %i ms", (attempt, drawn, pause) => {
  expect(getStartRetryDelayMs(attempt, drawn)).toBe(pause);
});
