// What only the operator does: a person's first workspace, a plan, a credential or a key, where it
// cannot be done in a browser yet; what there is in the service; and handling parked effects.
import { getCronObject, getSandboxObject, getTurnOwnerObject } from "../../durable-objects/address.ts";
import type { SandboxRpc } from "../../durable-objects/sandbox/rpc.ts";
import { findUserByLogin } from "../account/queries.ts";
import type { AuditScope } from "../audit/record.ts";
import { type DeletePersonRequest, deletePerson } from "../deletion/delete-person.ts";
import { findPerson } from "../deletion/queries/person.ts";
import type { Env } from "../env.ts";
import { createApiKey } from "../key/create-and-revoke.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import { saveWorkspaceCredential } from "../provider-login/workspace-credential.ts";
import type { ParkingObject } from "../rules/parking.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { type RestoreSessionRequest, runRestore } from "../session/restore.ts";
import { createWorkspace } from "../workspace/create.ts";
import { findWorkspaceBySlug, updatePlan } from "../workspace/queries/workspaces.ts";
import type { PlanName } from "../workspace/rules/billing-plan.ts";
import { findWorkspaceOfObject, listParked, listPeople, listWorkspaceUse, type Suspended } from "./queries.ts";
import { endSuspension, startSuspension } from "./suspend.ts";
import { trySandbox } from "./try-sandbox.ts";

/** People are named by their login at the code host, workspaces by their slug. */
export type OperatorCommand =
  | { command: "owner"; login: string; name: string; slug?: string | undefined }
  | { command: "plan"; workspace: string; plan: PlanName }
  | { command: "credential"; workspace: string; provider: ProviderId; apiKey: string }
  | { command: "key"; login: string; name: string }
  | { command: "try" }
  | { command: "workspaces" }
  | { command: "people" }
  | ({ command: "delete-person" } & DeletePersonRequest)
  | { command: "parked" }
  | { command: "retry"; object: ParkingObject; name: string }
  | ({ command: "restore-session" } & RestoreSessionRequest)
  | { command: "suspend" | "resume"; type: "workspace" | "person"; name: string };

/** Runs a command, and returns what it created. */
export async function runCommand(env: Env, command: OperatorCommand, now: number): Promise<object | Refusal> {
  switch (command.command) {
    case "owner": {
      const ownerId = await findUserByLogin(env.DB, command.login);
      if (ownerId === null) return neverSignedIn(env, command.login);
      const made = await createWorkspace(env, { name: command.name, slug: command.slug, ownerId }, now);
      return isRefusal(made) ? made : { id: made.id, slug: made.slug, plan: made.plan, owner: command.login };
    }
    case "plan": {
      const { workspace: slug, plan } = command;
      return (await updatePlan(env.DB, slug, plan)) ? { slug, plan } : unknownWorkspace(slug);
    }
    case "credential": {
      const { workspace: slug, provider, apiKey } = command;
      const workspace = await findWorkspaceBySlug(env.DB, slug);
      if (!workspace) return unknownWorkspace(slug);
      const refusal = await saveWorkspaceCredential(env, { workspaceId: workspace.id, provider, apiKey }, now);
      return refusal ?? { slug, provider };
    }
    case "key": {
      const userId = await findUserByLogin(env.DB, command.login);
      if (userId === null) return neverSignedIn(env, command.login);
      const made = await createApiKey(env, { userId, name: command.name, expiresAt: null }, now);
      return isRefusal(made) ? made : { owner: command.login, name: command.name, key: made.token };
    }
    case "try":
      return await trySandbox(env);
    case "workspaces": {
      const { listed, count } = await listWorkspaceUse(env.DB);
      const lines = listed.map(({ slug, plan, members, projects, runningMs, nanoUsd, suspendedAt }) => [
        slug,
        `${plan}, members: ${members}, projects: ${projects}, this month: ${(runningMs / 3_600_000).toFixed(1)} hours of sandboxes, ${(nanoUsd / 1e9).toFixed(2)} dollars of models${formatSuspension(suspendedAt)}`,
      ]);
      return { "all workspaces": String(count), ...Object.fromEntries(lines) };
    }
    case "people": {
      const { listed, count } = await listPeople(env.DB);
      const lines = listed.map(({ id, login, name, createdAt, memberships, suspendedAt }) => [
        login ?? id,
        `${name}, since ${new Date(createdAt).toISOString().slice(0, 10)}, ${memberships ?? "in no workspace"}${formatSuspension(suspendedAt)}`,
      ]);
      return { "all people": String(count), ...Object.fromEntries(lines) };
    }
    case "delete-person":
      return await deletePerson(env, command, now);
    case "restore-session":
      return await runRestore(env, command, now);
    case "parked": {
      const { listed, count } = await listParked(env.DB);
      const lines = listed.map(({ object, name, key, attempts, reason, parkedAt }) => [
        `${object} ${name} ${key}`,
        `since ${new Date(parkedAt).toISOString()}, ${attempts} tries: ${reason}`,
      ]);
      return { parked: String(count), ...Object.fromEntries(lines) };
    }
    case "retry": {
      const { object, name } = command;
      const retried = await parkingObject(env, object, name).retryParked();
      if (retried === 0)
        return refuse("NOT_FOUND", `There is no parked work of ${object} ${name}. The command parked lists it.`);
      return { [object]: name, retried: String(retried) };
    }
    case "suspend":
    case "resume": {
      const who = await findSuspended(env, command);
      if (isRefusal(who)) return who;
      if (command.command === "suspend")
        return {
          [command.type]: command.name,
          suspended: "yes",
          stopped: String(await startSuspension(env, who, now)),
        };
      await endSuspension(env, who);
      return { [command.type]: command.name, suspended: "no" };
    }
  }
}

/**
 * The workspace that a command changed, or the person in whose workspaces it is recorded. Null if
 * it changed neither.
 */
export async function findAuditScope(env: Env, command: OperatorCommand, outcome: object): Promise<AuditScope | null> {
  switch (command.command) {
    case "owner":
      return "id" in outcome ? { workspaceId: String(outcome.id) } : null;
    case "key": {
      const userId = await findUserByLogin(env.DB, command.login);
      return userId === null ? null : { userId };
    }
    case "plan":
    case "credential": {
      const workspace = await findWorkspaceBySlug(env.DB, command.workspace);
      return workspace && { workspaceId: workspace.id };
    }
    case "retry": {
      const workspaceId = await findWorkspaceOfObject(env.DB, command.object, command.name);
      return workspaceId === null ? null : { workspaceId };
    }
    case "restore-session": {
      if (!("state" in outcome) || outcome.state !== "restored") return null;
      const workspaceId = await findWorkspaceOfObject(env.DB, "session", command.session);
      return workspaceId === null ? null : { workspaceId };
    }
    case "suspend":
    case "resume": {
      const who = await findSuspended(env, command);
      if (isRefusal(who)) return null;
      return who.type === "workspace" ? { workspaceId: who.id } : { userId: who.id };
    }
    default:
      return null;
  }
}

/** What a command names, without secrets. */
export function toAuditTarget(command: OperatorCommand): Record<string, string> {
  switch (command.command) {
    case "owner":
      return { login: command.login, name: command.name };
    case "plan":
      return { workspace: command.workspace, plan: command.plan };
    case "credential":
      return { workspace: command.workspace, provider: command.provider };
    case "key":
      return { login: command.login, name: command.name };
    case "suspend":
    case "resume":
      return { [command.type]: command.name };
    case "retry":
      return { [command.object]: command.name };
    case "restore-session":
      return { session: command.session, at: command.at };
    default:
      return {};
  }
}

const formatSuspension = (at: number | null) =>
  at === null ? "" : `, suspended on ${new Date(at).toISOString().slice(0, 10)}`;

/** Finds the workspace of a slug, or the person of a login or an id. */
async function findSuspended(
  env: Env,
  { type, name }: Extract<OperatorCommand, { command: "suspend" | "resume" }>,
): Promise<Suspended | Refusal> {
  if (type === "workspace") {
    const workspace = await findWorkspaceBySlug(env.DB, name);
    return workspace ? { type, id: workspace.id } : unknownWorkspace(name);
  }
  const found = await findPerson(env.DB, name);
  return found?.deletedAt === null ? { type, id: found.person.id } : neverSignedIn(env, name);
}

function parkingObject(env: Env, object: ParkingObject, name: string): Pick<SandboxRpc, "retryParked"> {
  switch (object) {
    case "cron":
      return getCronObject(env, name);
    case "sandbox":
      return getSandboxObject(env, name);
    default:
      return getTurnOwnerObject(env, { type: object, id: name });
  }
}

function neverSignedIn({ PUBLIC_URL }: Env, login: string): Refusal {
  return refuse("NOT_FOUND", `${login} has never signed in. Have them sign in at ${PUBLIC_URL}/account first.`);
}

function unknownWorkspace(slug: string): Refusal {
  return refuse("NOT_FOUND", `There is no workspace with the slug ${slug}.`);
}
