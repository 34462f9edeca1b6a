// The turn link's endpoint. A sandbox connects with the token of its turn, and the request is
// forwarded to the object that owns the turn.

import * as z from "zod";
import { getTurnOwnerObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { readJson } from "../http/body.ts";
import { discardRest, findStreamRefusal, readBodyBytes, withCheck } from "../lib/byte-stream.ts";
import { isUuid } from "../lib/ids.ts";
import { getAnnouncedBytes } from "../lib/request-bytes.ts";
import { recordInstall } from "../plugin/queries/plugins.ts";
import { parseText } from "../plugin/rules/manifest-values.ts";
import { fullToolOutputBytes, pluginTextCharactersMax } from "../rules/limits.ts";
import { isRefusal, refusals, refuse } from "../rules/refusal.ts";
import { getLiveTurn, isTurnToken, readToken, type TurnToken } from "../sandbox/token.ts";
import type { InstallReport } from "../sandbox-protocol/protocol.ts";
import { findAttachment } from "../storage/attachments.ts";
import { isBlockPlace, saveOutput } from "../storage/outputs.ts";
import { type GivenAddress, readGivenAddress } from "./turn-assets.ts";

/** Handles the WebSocket handshake of a turn link. */
export async function openTurnLink(request: Request, env: Env): Promise<Response> {
  if (request.headers.get("upgrade") !== "websocket") return new Response("expected a WebSocket", { status: 426 });
  const token = await readToken(env, request.headers, Date.now());
  if (!isTurnToken(token)) return new Response("no valid token", { status: 401 });
  const { turnId, generation, owner } = token;
  const headers = new Headers(request.headers);
  headers.set("x-turn-link", JSON.stringify({ turnId, generation }));
  return await getTurnOwnerObject(env, owner).fetch(new Request(request, { headers }));
}

/**
 * Handles `GET /internal/attachments/<id>`: an attachment of a turn's owner, for its sandbox while
 * the turn is live.
 */
export async function sendAttachment(request: Request, env: Env, attachmentId: string): Promise<Response> {
  const turn = await getLiveTurn(request, env);
  if (turn instanceof Response) return turn;
  const file = isUuid(attachmentId) ? await findAttachment(env.STORE, turn.owner, attachmentId) : null;
  if (!file) return new Response("there is no such attachment", { status: 404 });
  const headers = new Headers();
  file.writeHttpMetadata(headers);
  return new Response(file.body, { headers });
}

/**
 * Handles `PUT /internal/outputs/<place>`: stores a long tool output that a sandbox uploads during
 * its turn. `place` is the index of the tool's block in the turn.
 */
export async function receiveOutput(request: Request, env: Env, place: string): Promise<Response> {
  const turn = await getLiveTurn(request, env);
  if (turn instanceof Response) return turn;
  if (!isBlockPlace(place) || !request.body) return new Response("not an output at a block's place", { status: 400 });
  const bytes = withCheck(readBodyBytes(request.body), (passed) =>
    passed > fullToolOutputBytes ? refuse("PAYLOAD_TOO_LARGE", "the output is too long") : null,
  );
  const mostBytes = Math.min(getAnnouncedBytes(request), fullToolOutputBytes);
  const id = { owner: turn.owner, turnId: turn.turnId, place };
  const refusal = await saveOutput(env, id, { bytes, mostBytes }).catch((error: unknown) => {
    const found = findStreamRefusal(error);
    if (!found) throw error;
    return found;
  });
  if (refusal === null) return new Response(null, { status: 204 });
  await discardRest(request.body, fullToolOutputBytes);
  return new Response(refusal.message, { status: refusals[refusal.code].status });
}

/**
 * Handles `GET /internal/given/<address>`, for a sandbox while its turn is live: the files of a
 * saved skill as JSON, or of a plugin as a tar.
 */
export async function sendGiven(request: Request, env: Env, address: string): Promise<Response> {
  const given = await parseGiven(request, env, address);
  if (given instanceof Response) return given;
  const files = await env.STORE.get(given.address.bodyKey);
  if (files === null) return new Response("this is no longer stored", { status: 404 });
  return new Response(files.body, { headers: { "content-type": "application/octet-stream" } });
}

const reportSchema: z.ZodType<InstallReport> = z.object({ failure: z.string().nullable() });
const reportBytes = 16 * 1_024;

/** Handles `PUT /internal/given/<address>`: the outcome of a plugin. */
export async function receiveGivenOutcome(request: Request, env: Env, address: string): Promise<Response> {
  const given = await parseGiven(request, env, address);
  if (given instanceof Response) return given;
  const { plugin } = given.address;
  const body = await readJson(request, reportBytes);
  const report = reportSchema.safeParse(isRefusal(body) ? null : body.json);
  if (plugin === undefined || !report.success || given.turn.owner.type !== "session")
    return new Response("not a report about a plugin", { status: 400 });
  const { workspaceId, owner } = given.turn;
  const { failure } = report.data;
  const message = failure === null ? null : (parseText(failure, pluginTextCharactersMax) ?? "It could not be fetched.");
  const of = { userId: plugin.userId, pluginId: plugin.id, workspaceId, sessionId: owner.id };
  await recordInstall(env.DB, of, message, Date.now());
  return new Response(null, { status: 204 });
}

async function parseGiven(
  request: Request,
  env: Env,
  address: string,
): Promise<{ turn: TurnToken; address: GivenAddress } | Response> {
  const turn = await getLiveTurn(request, env);
  if (turn instanceof Response) return turn;
  const read = await readGivenAddress(env, turn.turnId, address, Date.now());
  return read === null ? new Response("this turn was given no such thing", { status: 404 }) : { turn, address: read };
}
