// The groups of sessions on the rail and in the inbox.
import { expect, test } from "vitest";
import { groupSessions } from "../../console/src/session/groups.ts";
import type { Session } from "../../console/src/session/queries.ts";

const session = (title: string, fields: Partial<Session>) =>
  ({ title, status: "active", needsYouReason: null, latestChatJob: null, ...fields }) as Session;
const job = (status: "pending" | "running" | "completed" | "failed") => ({ id: "j", jobNumber: 1, status });

test("a session is in the first group that it belongs to", () => {
  const sessions = [
    session("quiet", { latestChatJob: job("completed") }),
    session("works", { latestChatJob: job("running") }),
    session("starts", { latestChatJob: job("pending") }),
    session("asks", { needsYouReason: "awaiting_response", latestChatJob: job("running") }),
    session("reviewed", { status: "under-review" }),
    session("filed", { status: "backlog" }),
  ];
  const titles = groupSessions(sessions).map(([title, group]) => [title, group.map((one) => one.title)]);
  expect(titles).toEqual([
    ["Needs you", ["asks"]],
    ["Running", ["works", "starts"]],
    ["Under review", ["reviewed"]],
    ["Recent", ["quiet"]],
  ]);
});
