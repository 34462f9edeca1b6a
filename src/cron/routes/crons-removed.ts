// The removed routes of crons under a project (Part 2, "Crons"). Every method answers 410, before anything of the path is looked at.
import type { Context, Hono } from "hono";
import type { Env } from "../../env.ts";
import { respondRefusal } from "../../http/answer.ts";
import { authenticate } from "../../http/authenticate.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";

const base = "/api/projects/:projectId/crons";
const paths = ["", "/:cronId", "/:cronId/run", "/:cronId/runs", "/:cronId/runs/:runId"];
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Adds them to the router. */
export function mountRemovedCronRoutes<Variables extends object>(
  app: Hono<{ Bindings: Env; Variables: Variables }>,
): void {
  const gone = async (context: Context<{ Bindings: Env; Variables: Variables }>) => {
    const asked = { action: "models.read", noun: "none", params: {} } as const;
    const caller = await authenticate(context.env, context.req.raw, asked, Date.now());
    // A caller who may not read models is known all the same.
    const isKnown = !isRefusal(caller) || caller.code === "FORBIDDEN";
    return respondRefusal(isKnown ? refuse("GONE") : caller);
  };
  for (const path of paths) app.on(methods, `${base}${path}`, gone);
}
