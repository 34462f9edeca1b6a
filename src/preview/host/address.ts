// Preview URLs: `<frontend key>--<sandbox key>.<PREVIEW_DOMAIN>`. Access requires an Auth Token,
// which is in the query of the first request and in a cookie of that host afterwards. The token
// contains the ports that it grants, so a preview request needs no database query.
import type { Env } from "../../env.ts";
import { type SigningKeys, sign, verify } from "../../lib/signing.ts";
import type { Frontend } from "../../project/rules/frontends.ts";
import { authTokenLifetimeMs } from "../../rules/limits.ts";

/** The access that an Auth Token grants. */
export interface PreviewGrant {
  sandboxKey: string;
  /** Null for the project's main preview. */
  sessionId: string | null;
  /** The creation time of the public link that it came from; null for a member. */
  linkMadeAt: number | null;
  /**
   * The member who requested it; null for a visitor with a link, and for an agent that acts as
   * nobody.
   */
  userId: string | null;
  /** The key of who requested it; null for a visitor with a link, and in earlier tokens. */
  keyId: string | null;
}

interface AuthToken extends PreviewGrant {
  /** Host label of a frontend → its port. */
  ports: Record<string, number>;
}

export const authTokenParam = "svc_auth";
/** The `__Host-` prefix keeps other preview hosts from setting this cookie. */
export const authTokenCookie = "__Host-svc_preview";
/**
 * The path of every preview host that accepts a new Auth Token. It is not forwarded to a service.
 */
export const renewalPath = "/.well-known/switchyard-renewal";
/** The path of every preview host that has the page between the console and the app. */
export const panePath = "/.well-known/switchyard-pane";
/** The parameter, beside the Auth Token, with which the console asks for that page. */
export const paneParam = "svc_pane";

/**
 * Returns the URLs of a preview's frontends by frontend key, each with an Auth Token that is valid
 * for `authTokenLifetimeMs`.
 */
export async function createFrontendUrls(
  env: Env,
  grant: PreviewGrant,
  frontends: Frontend[],
  now: number,
): Promise<Record<string, string>> {
  const ports = Object.fromEntries(frontends.map(({ hostLabel, port }) => [hostLabel, port]));
  const claims: AuthToken = { ...grant, ports };
  const token = await sign(env, "auth-token", claims, now + authTokenLifetimeMs);
  const { protocol } = new URL(env.PUBLIC_URL);
  return Object.fromEntries(
    frontends.map(({ key, hostLabel }) => [
      key,
      `${protocol}//${hostLabel}--${grant.sandboxKey}.${env.PREVIEW_DOMAIN}/?${authTokenParam}=${token}`,
    ]),
  );
}

/**
 * The host of shared artifacts, so that an untrusted page in a tab never has the service's own
 * origin.
 */
const artifactHost = (env: Pick<Env, "PREVIEW_DOMAIN">) => `artifacts.${env.PREVIEW_DOMAIN}`;

/** The shared artifact at a URL; null for any other URL. */
export function parseSharedArtifactUrl(
  url: URL,
  env: Pick<Env, "PREVIEW_DOMAIN">,
): { slug: string; artifactId: string } | null {
  if (url.host !== artifactHost(env)) return null;
  const [, slug, artifactId] = /^\/shared\/([^/]+)\/artifacts\/([^/]+)$/.exec(url.pathname) ?? [];
  return slug && artifactId ? { slug, artifactId } : null;
}

/** What an address of a view gives access to: one artifact of a session or a run. */
export interface ArtifactView {
  ownerId: string;
  artifactId: string;
}

/** The token of a view's URL; null for any other URL. */
export function parseArtifactViewUrl(url: URL, env: Pick<Env, "PREVIEW_DOMAIN">): string | null {
  if (url.host !== artifactHost(env)) return null;
  return /^\/view\/([A-Za-z0-9_.-]{1,1000})$/.exec(url.pathname)?.[1] ?? null;
}

/** Creates the URL at which a page of the service shows an artifact in a frame. */
export async function createArtifactViewUrl(
  env: Pick<Env, "PUBLIC_URL" | "PREVIEW_DOMAIN"> & SigningKeys,
  view: ArtifactView,
  expiresAt: number,
): Promise<string> {
  const token = await sign(env, "artifact-view", view, expiresAt);
  return `${new URL(env.PUBLIC_URL).protocol}//${artifactHost(env)}/view/${token}`;
}

/** The URL of a shared artifact. */
export function getSharedArtifactUrl(
  env: Pick<Env, "PUBLIC_URL" | "PREVIEW_DOMAIN">,
  slug: string,
  artifactId: string,
) {
  const path = `/shared/${encodeURIComponent(slug)}/artifacts/${encodeURIComponent(artifactId)}`;
  return `${new URL(env.PUBLIC_URL).protocol}//${artifactHost(env)}${path}`;
}

/** All preview hosts, as a source of a Content-Security-Policy. */
export function getPreviewOrigins(env: Pick<Env, "PUBLIC_URL" | "PREVIEW_DOMAIN">): string {
  return `${new URL(env.PUBLIC_URL).protocol}//*.${env.PREVIEW_DOMAIN}`;
}

const reopenPrefix = "/previews/";

/** The service's URL that redirects a member to a path of a preview host with a new Auth Token. */
export function getReopenUrl(
  env: Pick<Env, "PUBLIC_URL">,
  { hostLabel, sandboxKey }: PreviewHost,
  path: string,
): string {
  const url = new URL(`${reopenPrefix}${hostLabel}--${sandboxKey}`, env.PUBLIC_URL);
  if (path !== "/") url.searchParams.set("path", path);
  return url.href;
}

export interface PreviewHost {
  hostLabel: string;
  sandboxKey: string;
}

/** Parses a preview host; null if it is not of that form. */
export function parsePreviewHost(host: string, previewDomain: string): PreviewHost | null {
  if (!host.endsWith(`.${previewDomain}`)) return null;
  const [, hostLabel, sandboxKey] =
    /^([a-z0-9-]+)--([sm][a-z0-9]{16})$/.exec(host.slice(0, -previewDomain.length - 1)) ?? [];
  return hostLabel && sandboxKey ? { hostLabel, sandboxKey } : null;
}

/**
 * Parses the origin of a preview, or a URL with it; null if it is not of that form. For a service
 * on https, pages on http do not count, because anybody in between could have made them. A service
 * on http may be behind a proxy with https.
 */
export function parsePreviewOrigin(
  address: string,
  env: Pick<Env, "PUBLIC_URL" | "PREVIEW_DOMAIN">,
): PreviewHost | null {
  const url = URL.parse(address);
  if (!url || (url.protocol !== "https:" && url.protocol !== new URL(env.PUBLIC_URL).protocol)) return null;
  return parsePreviewHost(url.host, env.PREVIEW_DOMAIN);
}

/**
 * True for the preview domain and all hosts below it, even with trailing dots: one is the DNS
 * root's, and more do not name another host.
 */
export function isUnderPreviewDomain(host: string, previewDomain: string): boolean {
  const colon = host.lastIndexOf(":");
  const [given, port] = colon === -1 ? [host, ""] : [host.slice(0, colon), host.slice(colon)];
  let length = given.length;
  while (given[length - 1] === ".") length -= 1;
  const name = given.slice(0, length) + port;
  return name === previewDomain || name.endsWith(`.${previewDomain}`);
}

export interface PortGrant extends PreviewGrant {
  port: number;
}

/**
 * Returns the grant of the first token that is valid for a host. `unknown` if tokens are valid for
 * its sandbox, but not for this frontend; null if none is valid for its sandbox.
 */
export async function findGrant(
  env: Env,
  tokens: string[],
  host: PreviewHost,
  now: number,
): Promise<PortGrant | "unknown" | null> {
  let isOfSandbox = false;
  for (const token of tokens) {
    const claims = await verify<AuthToken>(env, "auth-token", token, now);
    if (claims?.sandboxKey !== host.sandboxKey) continue;
    isOfSandbox = true;
    const port = Object.hasOwn(claims.ports, host.hostLabel) ? claims.ports[host.hostLabel] : undefined;
    if (port !== undefined) {
      const { sandboxKey, sessionId = null, linkMadeAt = null, userId = null, keyId = null } = claims;
      return { sandboxKey, sessionId, linkMadeAt, userId, keyId, port };
    }
  }
  return isOfSandbox ? "unknown" : null;
}
