// What clients call of the authorization server: registration, tokens and revocation. The responses
// are those of OAuth, not of the API.
import * as z from "zod";
import { findProfile } from "../account/queries.ts";
import { recordAuditEvent } from "../audit/record.ts";
import type { Env } from "../env.ts";
import { readJson, readText } from "../http/body.ts";
import { checkBarred, countFailure } from "../http/failed-credentials.ts";
import { checkVisitorLimit, findCallerAddress } from "../http/rate-limit.ts";
import { toRefusalResponse } from "../http/response.ts";
import { getKeyHash } from "../lib/base64url.ts";
import { accessTokenMs, clientNameCharactersMax, redirectUriCharactersMax, redirectUrisMax } from "../rules/limits.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { toFirstCodePoints, toPrintableLine } from "../rules/text.ts";
import { findClient, getClientHash, issueClientId } from "./client-id.ts";
import { endCode, findCode, issueTokens, type Revoked, type Tokens, updateTokens } from "./queries.ts";
import { endAgentStreams, revokeAgentToken } from "./revoke.ts";
import { isResource, isVerifier } from "./rules/authorization.ts";
import { checkRedirectUri } from "./rules/redirect.ts";
import { getResource } from "./wire.ts";

const bodyBytes = 16_384;

type ErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_target"
  | "invalid_client_metadata"
  | "invalid_redirect_uri"
  | "unsupported_grant_type"
  | "server_error";

function fail(error: ErrorCode, description: string): Response {
  return Response.json({ error, error_description: description }, { status: 400 });
}

const registration = z.object({
  client_name: z.string().optional(),
  redirect_uris: z
    .array(z.string())
    .min(1)
    .max(redirectUrisMax)
    .refine((uris) => uris.join("").length <= redirectUriCharactersMax),
});

/** Handles `POST /oauth/register` (RFC 7591). All clients are public, whatever they ask for. */
export async function handleRegistration(request: Request, env: Env): Promise<Response> {
  const excess = await checkVisitorLimit(env, "DEVICE_SIGN_INS", request, Date.now(), "client");
  if (excess) return toRefusalResponse(excess);
  const read = await readJson(request, bodyBytes);
  if (isRefusal(read)) return toError(read, "invalid_client_metadata");
  const asked = registration.safeParse(read.json);
  if (!asked.success)
    return fail(
      "invalid_client_metadata",
      `Give 1 to ${redirectUrisMax} redirect_uris, of up to ${redirectUriCharactersMax} characters together.`,
    );
  const { redirect_uris: redirectUris, client_name: named } = asked.data;
  for (const uri of redirectUris) {
    const problem = checkRedirectUri(uri);
    if (problem !== null) return fail("invalid_redirect_uri", `A redirect URI ${problem}.`);
  }
  const name = toFirstCodePoints(toPrintableLine(named ?? ""), clientNameCharactersMax) || "A client without a name";
  return Response.json(
    {
      client_id: await issueClientId(env, { name, redirectUris }),
      client_id_issued_at: Math.floor(Date.now() / 1_000),
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    { status: 201 },
  );
}

/** Handles `POST /oauth/token`. */
export async function sendTokens(request: Request, env: Env): Promise<Response> {
  const form = await readForm(request, env);
  if (form instanceof Response) return form;
  const clientId = form.get("client_id");
  if (!(await findClient(env, clientId)) || clientId === null)
    return fail("invalid_client", "This service did not register the client. Register again.");
  if (!isResource(form.get("resource"), getResource(env.PUBLIC_URL)))
    return fail("invalid_target", `The resource has to be ${getResource(env.PUBLIC_URL)}.`);
  const clientHash = await getClientHash(clientId);
  switch (form.get("grant_type")) {
    case "authorization_code":
      return await exchangeCode(request, env, form, clientHash);
    case "refresh_token":
      return await refreshTokens(request, env, form, clientHash);
    default:
      return fail("unsupported_grant_type", "The grant_type is authorization_code or refresh_token.");
  }
}

async function exchangeCode(request: Request, env: Env, form: URLSearchParams, clientHash: string): Promise<Response> {
  const now = Date.now();
  const code = await findCode(env.DB, await getKeyHash(form.get("code") ?? ""));
  if (code === null) return await failUnknown(request, env, "The code is unknown.");
  const verifier = form.get("code_verifier") ?? "";
  const isRight =
    code.clientHash === clientHash &&
    code.redirectUri === form.get("redirect_uri") &&
    code.expiresAt > now &&
    isVerifier(verifier) &&
    code.challenge === (await getKeyHash(verifier));
  const tokens = isRight && code.usedAt === null ? await issueTokens(env.DB, code, now) : null;
  if (tokens !== null) return toTokenResponse(tokens);
  // Somebody else may have the code, so that what it became ends, too.
  const revoked = await endCode(env.DB, code, now);
  if (revoked !== null) await endReused(request, env, revoked, "oauth.reuse-code");
  return fail("invalid_grant", "The code was used, has expired, or is not for this client and request.");
}

async function refreshTokens(request: Request, env: Env, form: URLSearchParams, clientHash: string): Promise<Response> {
  const refreshToken = form.get("refresh_token") ?? "";
  const tokens = await updateTokens(env.DB, { refreshToken, clientHash }, Date.now());
  if (tokens === null) return await failUnknown(request, env, "The refresh token is unknown or revoked.");
  const ask = "Ask the person for more scopes, or repeat the refresh.";
  if (tokens === "needs-consent") return fail("invalid_grant", ask);
  // The official client of TypeScript asks the person after this error only, if it kept its tokens.
  if (tokens === "still-needs-consent") return fail("server_error", ask);
  if ("accessToken" in tokens) return toTokenResponse(tokens);
  if (tokens.isExpired) {
    await endAgentStreams(env, tokens.revoked);
    return fail("invalid_grant", "The refresh token has expired.");
  }
  await endReused(request, env, tokens.revoked, "oauth.reuse-token");
  return fail("invalid_grant", "The refresh token was used before, so that all tokens of this client are revoked.");
}

/** Ends what a thief may share with the client, and records from where the second use came. */
async function endReused(
  request: Request,
  env: Env,
  revoked: Revoked,
  operation: "oauth.reuse-code" | "oauth.reuse-token",
): Promise<void> {
  const { keyId, userId, name } = revoked;
  await endAgentStreams(env, revoked);
  await recordAuditEvent(
    env,
    { userId },
    {
      ...{ at: Date.now(), operation, actor: { kind: "service" }, via: "client", keyId },
      ...{ target: { agentId: keyId, client: name, userId }, address: findCallerAddress(request) },
    },
  );
}

/** Handles `POST /oauth/revoke` (RFC 7009), which succeeds for an unknown token, too. */
export async function revokeClientToken(request: Request, env: Env): Promise<Response> {
  const form = await readForm(request, env);
  if (form instanceof Response) return form;
  const token = form.get("token");
  if (token === null) return fail("invalid_request", "The token is missing.");
  const revoked = await revokeAgentToken(env, token);
  const person = revoked && (await findProfile(env.DB, revoked.userId));
  if (person) {
    const { keyId, userId } = revoked;
    await recordAuditEvent(
      env,
      { userId },
      {
        ...{ at: Date.now(), operation: "disconnectAgent", actor: { kind: "member", userId, name: person.name } },
        ...{ via: "client", keyId, target: { agentId: keyId }, address: findCallerAddress(request) },
      },
    );
  }
  return new Response(null, { status: 200 });
}

async function readForm(request: Request, env: Env): Promise<URLSearchParams | Response> {
  const barred = checkBarred(env, request, Date.now());
  if (barred) return toRefusalResponse(barred);
  const text = await readText(request, bodyBytes);
  if (isRefusal(text)) return toError(text, "invalid_request");
  const form = new URLSearchParams(text);
  const names = [...form.keys()];
  const isRepeated = names.some((name, index) => names.indexOf(name) !== index);
  return isRepeated ? fail("invalid_request", "A parameter is repeated.") : form;
}

async function failUnknown(request: Request, env: Env, description: string): Promise<Response> {
  const excess = await countFailure(env, request, Date.now());
  return excess ? toRefusalResponse(excess) : fail("invalid_grant", description);
}

function toError(refusal: Refusal, error: ErrorCode): Response {
  return refusal.code === "PAYLOAD_TOO_LARGE" ? toRefusalResponse(refusal) : fail(error, refusal.message);
}

function toTokenResponse({ accessToken, refreshToken, scopes }: Tokens): Response {
  return Response.json({
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: accessTokenMs / 1_000,
    refresh_token: refreshToken,
    scope: scopes.join(" "),
  });
}
