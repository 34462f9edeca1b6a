// The former routes of crons under a project, which are gone (Part 2, "Crons", removed routes).
import type { Context } from "hono";
import type { HonoBase } from "hono/hono-base";
import type { Env } from "../../env.ts";
import { authenticate } from "../../http/authenticate.ts";
import { toRefusalResponse } from "../../http/response.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";

const base = "/api/projects/:projectId/crons";

const paths = ["", "/:cronId", "/:cronId/run", "/:cronId/runs", "/:cronId/runs/:runId"];

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Adds the former routes of crons under a project (Part 2, "Crons"). Every method returns 410,
 * before any part of the path is checked.
 */
export function addFormerCronRoutes<Variables extends object>(
  app: HonoBase<{ Bindings: Env; Variables: Variables }>,
): void {
  const gone = async (context: Context<{ Bindings: Env; Variables: Variables }>) => {
    const asked = { action: "models.read", noun: "none", params: {} } as const;
    const caller = await authenticate(context.env, context.req.raw, asked, Date.now());
    // FORBIDDEN means that the caller is known but may not read models.
    const isKnown = !isRefusal(caller) || caller.code === "FORBIDDEN";
    return toRefusalResponse(isKnown ? refuse("GONE") : caller);
  };
  for (const path of paths) app.on(methods, `${base}${path}`, gone);
}
