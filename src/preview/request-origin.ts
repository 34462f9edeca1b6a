// Who has a browser ask a preview host: pages of its own sandbox, somebody who opens it in a tab, or a page elsewhere. The cookie that opens
// a preview goes along with all of it, so that a page elsewhere could act, and be clicked on, in its visitor's name.
import type { Env } from "../env.ts";
import { type PreviewHost, parsePreviewHost } from "./address.ts";

const framed = ["iframe", "frame", "fencedframe", "embed", "object"];
const reads = ["GET", "HEAD"];

/** True for a browser that opens a page, by its own word or, where it has none, by what it accepts. */
export function isNavigation({ method, headers }: Request): boolean {
  const mode = headers.get("sec-fetch-mode");
  if (mode !== null) return mode === "navigate";
  return method === "GET" && headers.get("accept")?.includes("text/html") === true;
}

/** True for a document that stands within another. */
export function isFramed({ headers }: Request): boolean {
  return framed.includes(headers.get("sec-fetch-dest") ?? "");
}

/** True for everything but what a page asks by itself, which a tab that is left open goes on doing. */
export function isVisit(request: Request): boolean {
  if (request.headers.has("upgrade")) return false;
  return !request.headers.has("sec-fetch-site") || isNavigation(request);
}

/** False for what a page elsewhere has a browser ask. It may open the preview in a tab, and nothing more. */
export function isOfOwnPages(request: Request, host: PreviewHost, env: Pick<Env, "PREVIEW_DOMAIN" | "PUBLIC_URL">) {
  const { headers, method } = request;
  const isOfSandbox = (address: string) =>
    parsePreviewHost(URL.parse(address)?.host ?? "", env.PREVIEW_DOMAIN)?.sandboxKey === host.sandboxKey;
  const site = headers.get("sec-fetch-site");
  // A browser's own word, which holds where a page of the host keeps its origin back.
  if (site === "same-origin") return true;
  const origin = headers.get("origin");
  const isRead = reads.includes(method);
  if (!isRead && origin !== null) return isOfSandbox(origin);
  if (site === "none") return true;
  const referrer = headers.get("referer") ?? "null";
  if (isRead && headers.get("sec-fetch-mode") === "navigate") {
    return !isFramed(request) || isOfSandbox(referrer) || isOfService(referrer, env);
  }
  // A WebSocket's opening may say where it comes from in its Origin alone; what is no browser says nothing.
  const asker = origin ?? (site === null ? null : referrer);
  return asker === null || isOfSandbox(asker);
}

/** True for a page of the service itself, as that of a public link, which frames the preview. */
function isOfService(address: string, { PUBLIC_URL }: Pick<Env, "PUBLIC_URL">): boolean {
  return URL.parse(address)?.origin === new URL(PUBLIC_URL).origin;
}
