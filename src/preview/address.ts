// Preview addresses: `<frontend key>--<sandbox key>.<PREVIEW_DOMAIN>`, opened by an Auth Token that stands in the address once and in a
// cookie of that host afterwards. The token carries the ports it opens, so that a preview request asks no database.
import type { Env } from "../env.ts";
import { authTokenLifetimeMs } from "../rules/limits.ts";
import type { Frontend } from "../rules/project/settings.ts";
import { sign, verify } from "../signing.ts";

/** What an Auth Token opens. */
export interface Opening {
  sandboxKey: string;
  /** Null for the project's main preview. */
  sessionId: string | null;
  /** When the public link was made that it was seen through; null for a member. */
  linkMadeAt: number | null;
}

interface AuthToken extends Opening {
  /** Host label of a frontend → the port it is served on. */
  ports: Record<string, number>;
}

export const authTokenParam = "svc_auth";
/** By its prefix a browser takes it from this very host alone; no other preview can plant one here. */
export const authTokenCookie = "__Host-svc_preview";
/** A path of every preview host that takes a new Auth Token, and reaches no service. */
export const renewalPath = "/.well-known/switchyard-renewal";

/** The addresses of a preview's frontends by frontend key, each with an Auth Token. */
export async function frontendUrls(
  env: Env,
  opening: Opening,
  frontends: Frontend[],
  now: number,
): Promise<Record<string, string>> {
  const ports = Object.fromEntries(frontends.map(({ hostLabel, port }) => [hostLabel, port]));
  const claims: AuthToken = { ...opening, ports };
  const token = await sign(env.SIGNING_KEY, "auth-token", claims, now + authTokenLifetimeMs);
  const { protocol } = new URL(env.PUBLIC_URL);
  return Object.fromEntries(
    frontends.map(({ key, hostLabel }) => [
      key,
      `${protocol}//${hostLabel}--${opening.sandboxKey}.${env.PREVIEW_DOMAIN}/?${authTokenParam}=${token}`,
    ]),
  );
}

/** Where all previews live, as a source of a Content-Security-Policy. */
export function previewOrigins(env: Pick<Env, "PUBLIC_URL" | "PREVIEW_DOMAIN">): string {
  return `${new URL(env.PUBLIC_URL).protocol}//*.${env.PREVIEW_DOMAIN}`;
}

export interface PreviewHost {
  hostLabel: string;
  sandboxKey: string;
}

/** Takes a preview host apart; null when it has not that form. */
export function parsePreviewHost(host: string, previewDomain: string): PreviewHost | null {
  if (!isUnderPreviewDomain(host, previewDomain)) return null;
  const [, hostLabel, sandboxKey] =
    /^([a-z0-9-]+)--([sm][a-z0-9]{16})$/.exec(host.slice(0, -previewDomain.length - 1)) ?? [];
  return hostLabel && sandboxKey ? { hostLabel, sandboxKey } : null;
}

/** True for every host that is not the API's but that of a preview. */
export function isUnderPreviewDomain(host: string, previewDomain: string): boolean {
  return host === previewDomain || host.endsWith(`.${previewDomain}`);
}

export interface OpenedPreview extends Opening {
  port: number;
}

/** What the first valid one of some tokens opens on a host: `unknown` without such a frontend, null when none is of that sandbox. */
export async function openedPreview(
  env: Env,
  tokens: string[],
  host: PreviewHost,
  now: number,
): Promise<OpenedPreview | "unknown" | null> {
  let isOfSandbox = false;
  for (const token of tokens) {
    const claims = await verify<AuthToken>(env.SIGNING_KEY, "auth-token", token, now);
    if (claims?.sandboxKey !== host.sandboxKey) continue;
    isOfSandbox = true;
    const port = Object.hasOwn(claims.ports, host.hostLabel) ? claims.ports[host.hostLabel] : undefined;
    if (port !== undefined) {
      const { sandboxKey, sessionId = null, linkMadeAt = null } = claims;
      return { sandboxKey, sessionId, linkMadeAt, port };
    }
  }
  return isOfSandbox ? "unknown" : null;
}
