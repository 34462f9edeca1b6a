// Preview addresses: `<frontend key>--<sandbox key>.<PREVIEW_DOMAIN>`, opened by an Auth Token that stands in the address once and in a
// cookie of that host afterwards. The token carries the ports it opens, so that a preview request asks no database.
import type { Env } from "../env.ts";
import { authTokenLifetimeMs } from "../rules/limits.ts";
import type { Frontend } from "../rules/project-settings.ts";
import { sign, verify } from "../signing.ts";

interface AuthToken {
  sandboxKey: string;
  /** Host label of a frontend → the port it is served on. */
  ports: Record<string, number>;
}

export const authTokenParam = "svc_auth";
export const authTokenCookie = "svc_preview";

/** The addresses of a sandbox's frontends by frontend key, each with an Auth Token. */
export async function frontendUrls(
  env: Env,
  sandboxKey: string,
  frontends: Frontend[],
  now: number,
): Promise<Record<string, string>> {
  const ports = Object.fromEntries(frontends.map(({ hostLabel, port }) => [hostLabel, port]));
  const claims: AuthToken = { sandboxKey, ports };
  const token = await sign(env.SIGNING_KEY, "auth-token", claims, now + authTokenLifetimeMs);
  const { protocol } = new URL(env.PUBLIC_URL);
  return Object.fromEntries(
    frontends.map(({ key, hostLabel }) => [
      key,
      `${protocol}//${hostLabel}--${sandboxKey}.${env.PREVIEW_DOMAIN}/?${authTokenParam}=${token}`,
    ]),
  );
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

/** The port that a token opens on a host; null when it is not valid for that sandbox and frontend. */
export async function openedPort(
  env: Env,
  token: string | null,
  host: PreviewHost,
  now: number,
): Promise<number | null> {
  if (!token) return null;
  const claims = await verify<AuthToken>(env.SIGNING_KEY, "auth-token", token, now);
  if (claims?.sandboxKey !== host.sandboxKey) return null;
  return Object.hasOwn(claims.ports, host.hostLabel) ? (claims.ports[host.hostLabel] ?? null) : null;
}
