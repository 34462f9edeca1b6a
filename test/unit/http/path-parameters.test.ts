// The parameters of paths: a handler sees those that its path names, and no others.
import { expect, it } from "vitest";
import { getPathParameter } from "../../../src/http/openapi/path-parameters.ts";
import {
  isUuidParameter,
  listParameters,
  type PathParameters,
  toLowerCaseIds,
} from "../../../src/http/path-parameters.ts";

/** A path that begins with a text which only its caller knows. */
const getMovePath = (start: string) => `${start}/{queuedMessageId}/move` as const;

it("types the parameters of a path by its text", () => {
  const key: PathParameters<"/api/users/{userId}/keys/{keyId}"> = { userId: "u", keyId: "k" };
  // @ts-expect-error the path names no such parameter
  expect(key.projectId).toBeUndefined();
  // @ts-expect-error a parameter is missing
  const none: PathParameters<"/api/users/{userId}"> = {};
  const move: PathParameters<ReturnType<typeof getMovePath>> = { queuedMessageId: "m" };
  expect([key.userId, key.keyId, none.userId, move.queuedMessageId]).toEqual(["u", "k", undefined, "m"]);
});

it.each([
  ["/api/users", []],
  ["/api/users/{userId}", ["userId"]],
  ["/api/projects/{projectId}/chat-sessions/{sessionId}/jobs", ["projectId", "sessionId"]],
])("%s has the parameters %j", (path, names) => {
  expect(listParameters(path)).toEqual(names);
});

it.each([
  ["sessionId", true],
  ["workspaceId", false],
  ["userId", false],
  ["pluginId", false],
  ["placeId", false],
  ["place", false],
  ["slug", false],
])("%s is a UUID: %s", (name, isUuid) => {
  expect(isUuidParameter(name)).toBe(isUuid);
});

it("writes UUIDs in lower case, and leaves other values as they are", () => {
  const id = "019A1C5E-4B7A-7C21-9D0E-5F3A8B6C1D20";
  const params = { sessionId: id, workspaceId: "ws_7KpQ2mXb4nTz", name: "Plan.md" };
  expect(toLowerCaseIds(params)).toEqual({ ...params, sessionId: id.toLowerCase() });
});

it("knows no parameter that is not described", () => {
  expect(() => getPathParameter("unknownId")).toThrow("unknownId is not described");
});
