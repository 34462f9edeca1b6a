// The routes of the activity feed: what members did and what the service observed, in the last 30
// days.
import * as z from "zod";
import { endpoint } from "../http/endpoint.ts";
import { flag } from "../http/query.ts";
import { listed } from "../http/response.ts";
import { sizeUpTo } from "../lib/wire.ts";
import { activityPageSizeDefault, activityPageSizeMax } from "../rules/limits.ts";
import { isRefusal, refuse } from "../rules/refusal.ts";
import { readFeed } from "./queries.ts";
import { cursorBehind, feedOf, mayRead } from "./rules/feed.ts";
import { activityEventOnWire, activityEventSchema, feedMetaSchema } from "./wire.ts";

const query = z.strictObject({
  since: z.string().optional().describe("A date, a time, or a span back such as `24h` or `7d`; 30 days by default."),
  kind: z.string().optional().describe("Kinds with commas between, or only `change` or `action`."),
  workspace: z.string().optional().describe("The id of a workspace; every workspace by default."),
  project: z.string().optional().describe("The id of a project; every project by default."),
  unseen: flag("True for only the events that are New to the caller, the oldest first."),
  markSeen: flag(
    "True for the New events, and to move the Seen Mark past them. It takes an API key and no other filter than `workspace`.",
  ),
  limit: sizeUpTo(activityPageSizeMax)
    .default(activityPageSizeDefault)
    .describe(`How many events a page has; a value above ${activityPageSizeMax} reads as ${activityPageSizeMax}.`),
  cursor: z.string().optional().describe("`nextCursor` of the page before."),
});

const readActivity = endpoint({
  method: "GET",
  path: "/api/activity",
  operation: "readActivity",
  summary: "Read the activity of every workspace you belong to, newest first, for the last 30 days.",
  tag: "Activity",
  access: "activity.read",
  noun: "none",
  query,
  answers: { status: 200, data: z.array(activityEventSchema), meta: feedMetaSchema },
  refusals: ["BAD_REQUEST"],
  async handle({ env, caller, query, now }) {
    const { user, workspaceId } = caller;
    if (!user) return refuse("FORBIDDEN");
    const feed = feedOf(query, caller.facts.kind, now);
    if (isRefusal(feed)) return feed;
    const { facts, events, hasMore, total, workspaces } = await readFeed(
      env.DB,
      { userId: user.id, workspaceId },
      feed,
    );
    const refusal = mayRead(feed, facts);
    if (refusal) return refusal;
    const last = events.at(-1);
    const nextCursor = hasMore && last ? cursorBehind(last.seq, feed.direction) : null;
    return listed(
      events.map((event) => activityEventOnWire(event, user.id, env.PUBLIC_URL)),
      { pagination: { pageSize: feed.pageSize, total, hasMore, nextCursor }, workspaces },
    );
  },
});

export const activityRoutes = [readActivity];
