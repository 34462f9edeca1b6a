// What clients read of the authorization server, and connected agents as the API returns them.
import * as z from "zod";
import { type Scope, scopes } from "../access/rules/scope.ts";
import { exampleIds, exampleTimes, formatTime, formatTimeOrNull, timestamp, uuid } from "../lib/wire.ts";
import type { ConnectedAgent } from "./queries.ts";

export const oauthPaths = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  resourceMetadata: "/.well-known/oauth-protected-resource",
  serverMetadata: "/.well-known/oauth-authorization-server",
} as const;

const mcpPath = "/mcp";

/** The address that access tokens are for. */
export function getResource(publicUrl: string): string {
  return new URL(mcpPath, publicUrl).href;
}

/** The name of this authorization server. */
export function getIssuer(publicUrl: string): string {
  return new URL(publicUrl).origin;
}

/** The metadata of `/mcp` as a resource (RFC 9728). */
export function createResourceMetadata(publicUrl: string): object {
  return {
    resource: getResource(publicUrl),
    authorization_servers: [getIssuer(publicUrl)],
    scopes_supported: scopes,
    bearer_methods_supported: ["header"],
    resource_name: "Switchyard",
  };
}

/** The metadata of the authorization server (RFC 8414). */
export function createServerMetadata(publicUrl: string): object {
  const at = (path: string) => new URL(path, publicUrl).href;
  return {
    issuer: getIssuer(publicUrl),
    authorization_endpoint: at(oauthPaths.authorize),
    token_endpoint: at(oauthPaths.token),
    registration_endpoint: at(oauthPaths.register),
    revocation_endpoint: at(oauthPaths.revoke),
    scopes_supported: scopes,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}

/** The `WWW-Authenticate` of a refused request to `/mcp`. */
export function formatMcpChallenge(
  publicUrl: string,
  { error, needed }: { error: "invalid_token" | "insufficient_scope" | null; needed: readonly Scope[] },
): string {
  const path = `${oauthPaths.resourceMetadata}${mcpPath}`;
  const fields = {
    realm: "switchyard",
    ...(error && { error }),
    scope: needed.join(" "),
    resource_metadata: new URL(path, publicUrl).href,
  };
  return `Bearer ${Object.entries(fields)
    .map(([name, value]) => `${name}="${value}"`)
    .join(", ")}`;
}

export const connectedAgentSchema = z
  .object({
    id: uuid.describe("Its id."),
    name: z.string().describe("The name that the program gives itself."),
    redirectHost: z.string().describe("The `state` that the code host returned."),
    scopes: z.array(z.enum(scopes)).describe("What it may do."),
    workspaceId: z.string().nullable().describe("Its only workspace; null for all of yours."),
    createdAt: timestamp.describe("When it was connected."),
    lastUsedAt: timestamp.nullable().describe("When it was last used."),
    expiresAt: timestamp.describe("When it ends without use."),
  })
  .meta({
    id: "ConnectedAgent",
    description: "An agent that you connected over MCP.",
    examples: [
      {
        id: exampleIds.key,
        name: "Claude Code",
        redirectHost: "127.0.0.1:53412",
        scopes: ["read", "work"],
        workspaceId: exampleIds.workspace,
        createdAt: exampleTimes.started,
        lastUsedAt: exampleTimes.later,
        expiresAt: exampleTimes.later,
      },
    ],
  });

export function toWireConnectedAgent(agent: ConnectedAgent): z.infer<typeof connectedAgentSchema> {
  const { createdAt, lastUsedAt, expiresAt, ...rest } = agent;
  return {
    ...rest,
    createdAt: formatTime(createdAt),
    lastUsedAt: formatTimeOrNull(lastUsedAt),
    expiresAt: formatTime(expiresAt),
  };
}
