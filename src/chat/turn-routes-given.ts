// Serves the kept skills and the plugins of a turn to its sandbox, while the turn is live, and hears what came of the plugins.
import * as z from "zod";
import type { Env } from "../env.ts";
import { readJson } from "../http/body.ts";
import { noteInstall } from "../plugin/queries/plugins.ts";
import { textIn } from "../plugin/rules/manifest-values.ts";
import { pluginTextCharactersMax } from "../rules/limits.ts";
import { isRefusal } from "../rules/refusal.ts";
import { liveTurn } from "../sandbox/check-sandbox-token.ts";
import type { InstallReport } from "../sandbox/protocol.ts";
import type { TurnToken } from "../sandbox/sandbox-token.ts";
import { type GivenAddress, readGivenAddress } from "./turn-assets.ts";

/** Answers `GET /internal/given/<address>`: the files of a skill as JSON, or of a plugin as a tar. */
export async function sendGiven(request: Request, env: Env, address: string): Promise<Response> {
  const given = await givenOf(request, env, address);
  if (given instanceof Response) return given;
  const files = await env.STORE.get(given.address.bodyKey);
  if (files === null) return new Response("this is not kept any more", { status: 404 });
  return new Response(files.body, { headers: { "content-type": "application/octet-stream" } });
}

const reportSchema: z.ZodType<InstallReport> = z.object({ failure: z.string().nullable() });
const reportBytes = 16 * 1_024;

/** Answers `PUT /internal/given/<address>`: what came of a plugin. */
export async function noteGiven(request: Request, env: Env, address: string): Promise<Response> {
  const given = await givenOf(request, env, address);
  if (given instanceof Response) return given;
  const { plugin } = given.address;
  const body = await readJson(request, reportBytes);
  const report = reportSchema.safeParse(isRefusal(body) ? null : body.json);
  if (plugin === undefined || !report.success || given.turn.owner.type !== "session")
    return new Response("not a report about a plugin", { status: 400 });
  const { workspaceId, owner } = given.turn;
  const { failure } = report.data;
  const message = failure === null ? null : (textIn(failure, pluginTextCharactersMax) ?? "It could not be had.");
  const of = { userId: plugin.userId, pluginId: plugin.id, workspaceId, sessionId: owner.id };
  await noteInstall(env.DB, of, message, Date.now());
  return new Response(null, { status: 204 });
}

async function givenOf(
  request: Request,
  env: Env,
  address: string,
): Promise<{ turn: TurnToken; address: GivenAddress } | Response> {
  const turn = await liveTurn(request, env);
  if (turn instanceof Response) return turn;
  const read = await readGivenAddress(env, turn.turnId, address, Date.now());
  return read === null ? new Response("this turn was given no such thing", { status: 404 }) : { turn, address: read };
}
