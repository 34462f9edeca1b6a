// What the visitor of a preview host is told when nothing took the request, and waking the sandbox for somebody who opens a page there.
import { sandboxObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import type { Opening } from "../../preview/address.ts";
import { checkPreviewable } from "../../rules/deploy/deploy.ts";
import type { PreviewTrouble } from "../../rules/preview/preview.ts";
import { findVisitedTarget } from "../../storage/queries/previews.ts";
import { findShareLink } from "../../storage/queries/share-links.ts";
import { previewOwner } from "./read.ts";

/** Tells why there is no answer. What a page asks by itself is no visit, and wakes nothing. */
export async function missPreview(
  env: Env,
  { sandboxKey, sessionId, linkMadeAt }: Opening,
  isVisit: boolean,
): Promise<PreviewTrouble> {
  const sandbox = sandboxObject(env, sandboxKey);
  // The main preview is brought back by a Deploy.
  if (sessionId === null) return await sandbox.missed(null);
  const target = await findVisitedTarget(env.DB, sessionId);
  const owner = target && previewOwner(target);
  if (!owner) return "ended";
  if (!isVisit || checkPreviewable(target.project.deployStatus)) return await sandbox.missed(null);
  // Who came by a link that has been revoked may see what still runs, and starts nothing.
  const isRevoked = linkMadeAt !== null && (await findShareLink(env.DB, sandboxKey))?.createdAt !== linkMadeAt;
  if (isRevoked) return await sandbox.missed(null);
  if (!target.isBlockedOnBilling) return await sandbox.missed(owner);
  const trouble = await sandbox.missed(null);
  return trouble === "paused" ? "unable" : trouble;
}
