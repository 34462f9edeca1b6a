// The routes of the activity feed: what members did and what the service observed, in the last 30
// days.
import * as z from "zod";
import { endpoint } from "../http/endpoint.ts";
import { flag } from "../http/query.ts";
import { listed, noContent } from "../http/response.ts";
import { sizeUpTo } from "../lib/pagination.ts";
import { exampleIds, uuid } from "../lib/wire.ts";
import { activityPageSizeDefault, activityPageSizeMax } from "../rules/limits.ts";
import { isRefusal, refuse } from "../rules/refusal.ts";
import { readFeed, saveSeenMarks } from "./queries.ts";
import { checkFeed, formatCursor, parseFeed } from "./rules/feed.ts";
import { activityEventSchema, feedMetaSchema, toWireActivityEvent } from "./wire.ts";

const query = z.strictObject({
  since: z.string().optional().describe("A date, a time, or a span such as `24h`; 30 days by default."),
  kind: z.string().optional().describe("Kinds, separated by commas, or `change` or `action`."),
  workspace: z.string().optional().describe("The id of a workspace; every workspace by default."),
  project: z.string().toLowerCase().optional().describe("The id of a project; every project by default."),
  unseen: flag().describe("True for only the New events, the oldest first."),
  markSeen: flag().describe(
    "True for the New events. The Seen Mark moves past them. It takes an API key and no other filter than `workspace`.",
  ),
  limit: sizeUpTo(activityPageSizeMax)
    .default(activityPageSizeDefault)
    .describe(`The number of events on a page, at most ${activityPageSizeMax}. A greater value counts as that.`),
  cursor: z.string().optional().describe("`nextCursor` of the previous page."),
});

const readActivity = endpoint({
  method: "GET",
  path: "/api/activity",
  operation: "readActivity",
  summary: "Read the activity of your workspaces, newest first, for the last 30 days.",
  tag: "Activity",
  access: "activity.read",
  noun: "none",
  query,
  response: { status: 200, data: z.array(activityEventSchema), meta: feedMetaSchema },
  refusals: ["BAD_REQUEST"],
  async handle({ env, request, caller, query, now }) {
    const { user, workspaceId } = caller;
    if (!user) return refuse("FORBIDDEN");
    const feed = parseFeed(query, caller.facts.kind, now);
    if (isRefusal(feed)) return feed;
    const { facts, events, hasMore, total, workspaces } = await readFeed(
      env.DB,
      { userId: user.id, workspaceId },
      { ...feed, marksSeen: feed.marksSeen && request.method !== "HEAD" },
    );
    const refusal = checkFeed(feed, facts);
    if (refusal) return refusal;
    const last = events.at(-1);
    const nextCursor = hasMore && last ? formatCursor(last.seq, feed.direction) : null;
    return listed(
      events.map((event) => toWireActivityEvent(event, user.id, env.PUBLIC_URL)),
      { pagination: { pageSize: feed.pageSize, total, hasMore, nextCursor }, workspaces },
    );
  },
});

const markSeen = endpoint({
  method: "PUT",
  path: "/api/activity/seen",
  operation: "markActivitySeen",
  summary: "Move your Seen Mark past an event. The mark never moves back.",
  tag: "Activity",
  access: "activity.mark-seen",
  noun: "none",
  body: {
    schema: z
      .strictObject({
        through: uuid.describe("The id of the newest event that was seen."),
        workspaceId: z.string().optional().describe("The workspace; every workspace by default."),
      })
      .meta({ examples: [{ through: exampleIds.job }] }),
  },
  response: { status: 204 },
  async handle({ env, caller, body: { through, workspaceId = null } }) {
    if (!caller.user) return refuse("FORBIDDEN");
    const isMoved = await saveSeenMarks(env.DB, { userId: caller.user.id, workspaceId, through });
    return isMoved ? noContent : refuse("NOT_FOUND", "There is no such event in your workspaces.");
  },
});

export const activityRoutes = [readActivity, markSeen];
