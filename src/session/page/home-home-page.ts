// The page at `/`, for a browser that opens the service's own address.

import { reachOf } from "../../access/rules/reach.ts";
import type { Env } from "../../env.ts";
import { authenticate } from "../../http/authenticate.ts";
import { isLoopback, isOneMachine } from "../../one-machine.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { listSessions } from "../queries/lists.ts";
import { summaryOnWire } from "../wire.ts";
import { type HomeView, homePage } from "./home.tsx";

const sessionsShown = 10;

/** Answers a browser at `/`. */
export async function showHome(request: Request, env: Env): Promise<Response> {
  const notes: Record<string, string> = JSON.parse(env.MODEL_LABEL_NOTES || "{}");
  return homePage({
    publicUrl: env.PUBLIC_URL,
    localForge: isOneMachine(env) && isLoopback(env.CODE_HOST_GIT_URL) ? env.CODE_HOST_GIT_URL : null,
    modelNotes: Object.entries(notes).map(([provider, note]) => `${provider} (${note})`),
    user: await userOf(request, env),
  });
}

async function userOf(request: Request, env: Env): Promise<HomeView["user"]> {
  const known = await authenticate(env, request, { action: "session.search", noun: "none", params: {} }, Date.now());
  if (isRefusal(known) || !known.caller.user) return null;
  const reach = reachOf(known.caller);
  if (!reach) return null;
  const filter = { workspaceIds: [], projectIds: [], statuses: [], assignee: null, search: "", needsYou: false };
  const { summaries } = await listSessions(env.DB, {
    reach,
    projectId: null,
    filter,
    page: 1,
    pageSize: sessionsShown,
  });
  return { name: known.caller.user.name, sessions: summaries.map((summary) => summaryOnWire(summary, env.PUBLIC_URL)) };
}
