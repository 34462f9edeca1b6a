// The path that an unknown one was probably meant to be.
import { expect, test } from "vitest";
import { findNearestPath } from "../../../src/http/nearest-path.ts";

const paths = [
  "/api/models",
  "/api/chat-sessions",
  "/api/chat-sessions/{sessionId}",
  "/api/projects/{projectId}/preview",
];

test.each([
  ["/api/chat-session", "/api/chat-sessions"],
  ["/api/chat-sesions/123", "/api/chat-sessions/{sessionId}"],
  ["/models", "/api/models"],
  ["/api/v1/models", "/api/models"],
  ["/api/projects/1/previews", "/api/projects/{projectId}/preview"],
  ["/api/colours", null],
  ["/api/models/1/2/3/4/5/6/7/8/9/10/11/12/13", null],
  ["/", null],
])("of %s is %s", (given, nearest) => {
  expect(findNearestPath(given, paths)).toBe(nearest);
});
