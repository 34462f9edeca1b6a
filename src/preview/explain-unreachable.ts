// Handles a preview request that no service responded to: shows the visitor the reason, and wakes
// the sandbox for a visit.
import { getSandboxObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import type { PortGrant, PreviewGrant } from "./host/address.ts";
import { findShareLink } from "./queries/share-links.ts";
import { findVisitedTarget } from "./queries/targets.ts";
import type { PreviewUnavailable } from "./rules/preview.ts";
import { findServiceAt, type NamedService } from "./rules/service-state.ts";
import { isLinkRevoked } from "./rules/share-link.ts";
import { checkPreview, findPreviewSandboxOwner } from "./wake.ts";

/**
 * Responds with the reason why the preview is unavailable. Only a visit wakes the sandbox, not a
 * request that an open page makes by itself.
 */
export async function explainUnreachable(
  env: Env,
  { sandboxKey, linkMadeAt }: PreviewGrant,
  isVisit: boolean,
): Promise<PreviewUnavailable> {
  const sandbox = getSandboxObject(env, sandboxKey);
  const target = await findVisitedTarget(env.DB, sandboxKey);
  if (!target) return "unknown";
  const owner = findPreviewSandboxOwner(target);
  if (!owner) return "ended";
  if (!isVisit || checkPreview(target)) return await sandbox.explainUnreachable(null);
  // A visitor whose link has been revoked can see a running preview until the token expires, but
  // cannot start anything.
  if (linkMadeAt !== null && isLinkRevoked(linkMadeAt, await findShareLink(env.DB, sandboxKey)))
    return await sandbox.explainUnreachable(null);
  if (!target.isBlockedOnBilling) return await sandbox.explainUnreachable(owner);
  const reason = await sandbox.explainUnreachable(null);
  return reason === "paused" ? "unable" : reason;
}

/**
 * The service that a request was for, and why it crashed. Only members see its log: it may contain
 * what visitors of a public link must not see.
 */
export async function findService(
  env: Pick<Env, "SANDBOX" | "JURISDICTION">,
  { sandboxKey, port, linkMadeAt }: PortGrant,
): Promise<NamedService | null> {
  const status = await getSandboxObject(env, sandboxKey).status();
  const service = findServiceAt(port, status, status.layout ?? []);
  if (!service?.crash || linkMadeAt === null) return service;
  return { ...service, crash: { ...service.crash, logEnd: "" } };
}
