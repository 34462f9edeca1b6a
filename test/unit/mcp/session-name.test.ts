// What a tool looks a session up by, for each name that a person or an agent may have for it.
import { expect, test } from "vitest";
import type { Api, Asked, Operation } from "../../../src/mcp/api.ts";
import { findSession } from "../../../src/mcp/tool.ts";
import { refuse } from "../../../src/rules/refusal.ts";

const id = "01890a5d-ac96-7000-8000-00000000000a";
const project = "01890a5d-ac96-7000-8000-00000000000b";
const host = "https://sy.example";
const byId = { params: { sessionId: id } };

test.each<[named: string, operation: Operation, asked: Asked]>([
  [id, "findSession", byId],
  [`${host}/s/${id}`, "findSession", byId],
  [`${host}/s/${id}?panel=changes`, "findSession", byId],
  [`${host}/s/${id}/`, "findSession", byId],
  [`${host}/projects/${project}/chat-sessions/${id}#end`, "findSession", byId],
  [id.slice(-6), "searchSessions", { query: { ref: id.slice(-6) } }],
  ["svc/s/sort-the-board", "searchSessions", { query: { ref: "svc/s/sort-the-board" } }],
])("%s is looked up with %s", async (named, operation, asked) => {
  const calls: Parameters<Api["call"]>[] = [];
  const api: Api = {
    call: async (...call) => {
      calls.push(call);
      return refuse("NOT_FOUND", "No.");
    },
    follow: async () => refuse("NOT_FOUND", "No."),
  };
  expect(await findSession(api, named)).toMatchObject({ code: "NOT_FOUND" });
  expect(calls).toEqual([[operation, asked]]);
});
