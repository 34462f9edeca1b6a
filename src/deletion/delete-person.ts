// Deletes a person at the operator's command. What belongs only to them is deleted first, in one
// transaction. What names them elsewhere is replaced afterwards, in pages.
import { waitUntil } from "cloudflare:workers";
import { getDeletionObject } from "../../durable-objects/address.ts";
import { revokeConnection } from "../account/connect-code-host.ts";
import { findIdentity } from "../account/queries.ts";
import { createAuditStatement, recordAuditEvent } from "../audit/record.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { revokeAfterResponse } from "../provider-login/connect/revoke.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { endStreams } from "../workspace/end-streams.ts";
import { publishMembersChanged } from "../workspace/publish-event.ts";
import { deleteLoneWorkspaces } from "./lone-workspaces.ts";
import { findDeletionByLogin, findPerson, listMemberships, startPersonDeletion } from "./queries/person.ts";
import { findDeletion } from "./queries.ts";
import { checkOwnedWorkspaces } from "./rules/owned-workspaces.ts";
import { formatProgress, isPassOver } from "./rules/person-progress.ts";
import { startDeletion } from "./start.ts";

export interface DeletePersonRequest {
  /** The user id, or the login at the code host. */
  person: string;
  /** False to learn what would be deleted. */
  isConfirmed: boolean;
  /** True to delete the workspaces that nobody else belongs to as well. */
  withWorkspaces: boolean;
}

/** What the operator sees. */
export interface PersonDeletion {
  person: string;
  /** `done` once nothing names the person. */
  state: "not deleted" | "deleting" | "done";
  [detail: string]: string;
}

/**
 * Deletes a person, or returns how far their deletion is. Safe to repeat: a person who is deleted
 * stays deleted.
 */
export async function deletePerson(
  env: Env,
  { person: named, isConfirmed, withWorkspaces }: DeletePersonRequest,
  now: number,
): Promise<PersonDeletion | Refusal> {
  const found = await findPerson(env.DB, named);
  if (!found) {
    const id = await findDeletionByLogin(env.DB, named);
    return id === null
      ? refuse("NOT_FOUND", `There is no person with the user id or login ${named}. A deleted person has only the id.`)
      : await readProgress(env, id);
  }
  const { person, deletedAt } = found;
  if (deletedAt !== null) return await readProgress(env, person.id);
  const memberships = await listMemberships(env.DB, person.id);
  const refusal = checkOwnedWorkspaces(memberships, withWorkspaces);
  if (refusal) return refusal;
  if (!isConfirmed) {
    const roles = memberships.map(({ isOwner, slug }) => `${isOwner ? "owner" : "member"} of ${slug}`);
    const lost = memberships.filter(({ isOwner }) => isOwner).map(({ slug }) => slug);
    return {
      person: person.id,
      state: "not deleted",
      name: found.name,
      workspaces: roles.join(", ") || "none",
      ...(lost.length > 0 ? { "would delete the workspaces": lost.join(", ") } : {}),
      next: "Nothing was deleted. Repeat the command with --yes.",
    };
  }
  const event = {
    at: now,
    operation: "operator.delete-person",
    actor: { kind: "operator" } as const,
    via: "operator" as const,
    keyId: null,
    target: { userId: person.id },
    address: null,
  };
  const lone = await deleteLoneWorkspaces(env, person.id, now);
  for (const { workspaceId } of lone) {
    await recordAuditEvent(env, { workspaceId }, event);
    endStreams(env, workspaceId, "all");
  }
  const identity = await findIdentity(env.DB, person.id);
  const audit = createAuditStatement(env.DB, { deletedUserId: person.id }, event);
  if (!(await startPersonDeletion(env.DB, person, { now, audit }))) {
    // The same command may have come first.
    const isDeleted = (await findPerson(env.DB, person.id))?.deletedAt != null;
    if (isDeleted) return await readProgress(env, person.id);
    return refuse("CONFLICT", "The person or their workspaces changed meanwhile. Repeat the command.");
  }
  for (const { workspaceId } of memberships) {
    endStreams(env, workspaceId, { userId: person.id });
    publishMembersChanged(env, workspaceId);
  }
  revokeAfterResponse(env);
  if (identity)
    waitUntil(
      revokeConnection(env, identity).catch((error: unknown) => log.warn("deletion.grant_not_revoked", { error })),
    );
  await startDeletion(env, { type: "person", id: person.id });
  const deleted = lone.length === 0 ? {} : { "deleted workspaces": lone.map(({ slug }) => slug).join(", ") };
  return { ...(await readProgress(env, person.id)), ...deleted };
}

async function readProgress(env: Env, id: string): Promise<PersonDeletion> {
  const name = { type: "person", id } as const;
  if ((await findDeletion(env.DB, name)) === null) return { person: id, state: "done", progress: "complete" };
  // Also starts a deletion whose object was never started.
  await startDeletion(env, name);
  const progress = await getDeletionObject(env, name).personProgress();
  if (progress === null) return { person: id, state: "deleting", progress: "starting" };
  return { person: id, state: isPassOver(progress) ? "done" : "deleting", progress: formatProgress(progress) };
}
