// What the caller has seen of a session's reason to need somebody.
import * as z from "zod";
import { getWorkspaceEventsObject } from "../../../durable-objects/address.ts";
import { findPersonId } from "../../access/rules/caller.ts";
import { endpoint } from "../../http/endpoint.ts";
import { noContent } from "../../http/response.ts";
import { exampleTimes } from "../../lib/wire.ts";
import { refuse } from "../../rules/refusal.ts";
import { saveSeenMark } from "../queries/seen.ts";

const markSeen = endpoint({
  method: "PUT",
  path: "/api/projects/{projectId}/chat-sessions/{sessionId}/seen",
  operation: "markSessionSeen",
  summary: "Mark a session's reason as seen. An older `since` than its present one changes nothing.",
  tag: "Chat sessions",
  access: "session.mark-seen",
  noun: "session",
  body: {
    schema: z
      .strictObject({ since: z.iso.datetime().describe("The `needsYouSince` that you have read.") })
      .meta({ examples: [{ since: exampleTimes.later }] }),
  },
  response: { status: 204 },
  async handle({ env, caller, found, body, now }) {
    const userId = findPersonId(caller);
    if (userId === null) return refuse("FORBIDDEN");
    // Nobody has seen what is still to come.
    const since = Math.min(Date.parse(body.since), now);
    const { id: sessionId } = found.session;
    if (await saveSeenMark(env.DB, { sessionId, userId, since }))
      await getWorkspaceEventsObject(env, found.workspace.id).publish([
        { type: "seen", userId, projectId: found.project.id, sessionId, since },
      ]);
    return noContent;
  },
});

export const sessionSeenRoutes = [markSeen];
