// `/previews/{preview host}`: leads a signed-in member back to a preview whose address has expired. Auth Tokens live for minutes, tabs for days.
import { sandboxObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import { authenticate } from "../../http/authenticate.ts";
import { frontendsOf } from "../../project/rules/settings.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { frontendUrls, parsePreviewHost } from "../host/address.ts";
import { findPreviewOwner, findPreviewTarget } from "../queries.ts";
import { grantOf, previewSandboxOwner } from "../wake-target.ts";
import { noPreviewHere, previewNotNow, signInForPreview } from "./reopened.tsx";

/** Answers `GET /previews/{host}`. A paused preview wakes by the visit that follows. */
export async function reopenPreview(request: Request, env: Env, name: string): Promise<Response> {
  const now = Date.now();
  const { pathname, search, searchParams } = new URL(request.url);
  const known = await authenticate(env, request, { action: "code-host.connect", noun: "none", params: {} }, now);
  if (isRefusal(known)) {
    return known.code === "UNAUTHORIZED"
      ? signInForPreview(pathname + search)
      : previewNotNow(known.message, pathname + search);
  }
  const host = parsePreviewHost(`${name}.${env.PREVIEW_DOMAIN}`, env.PREVIEW_DOMAIN);
  const owner = host && (await findPreviewOwner(env.DB, host.sandboxKey));
  if (!host || !owner) return noPreviewHere();
  const params = { projectId: owner.projectId };
  const member = await authenticate(env, request, { action: "sandbox.use", noun: "project", params }, now);
  if (isRefusal(member)) return noPreviewHere();
  const target = await findPreviewTarget(env.DB, owner.projectId, owner.sessionId);
  if (!target || !previewSandboxOwner(target)) return noPreviewHere();
  const layout = (await sandboxObject(env, host.sandboxKey).layout()).services ?? target.project.settings.services;
  const frontend = frontendsOf(layout).find(({ hostLabel }) => hostLabel === host.hostLabel);
  if (!frontend) return noPreviewHere();
  const grant = grantOf(target, member.caller.user?.id ?? null);
  const { [frontend.key]: address = "" } = await frontendUrls(env, grant, frontendsOf(layout), now);
  return new Response(null, { status: 302, headers: { location: atPath(address, searchParams.get("path") ?? "/") } });
}

/** The address of another path on the same preview host, with the Auth Token. */
function atPath(address: string, path: string): string {
  const url = new URL(address);
  const asked = URL.parse(path.replace(/^[/\\]*/, "/"), url);
  if (asked?.origin !== url.origin) return address;
  asked.search = asked.search === "" ? url.search : `${asked.search}&${url.search.slice(1)}`;
  return asked.href;
}
