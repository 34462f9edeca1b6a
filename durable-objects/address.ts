// The addresses of the objects, for all callers. Of objects only types are imported, so that
// nothing depends on the implementation of an object.
import type { TurnOwner } from "../src/chat/rules/chat.ts";
import type { DeletionName } from "../src/deletion/rules/deletion.ts";
import { withCarriedRequestId } from "../src/lib/carried-request-id.ts";
import type { RepositoryRef } from "../src/project/rules/repository.ts";
import type { LoginName } from "../src/provider-login/rules/login.ts";
import type { SweepName } from "../src/sweeps/rules/sweep-name.ts";
import type { TurnOwnerRpc } from "./chat/rpc.ts";
import type { CodeHostTokenRpc, WebhookInboxRpc } from "./code-host/rpc.ts";
import type { CronRpc } from "./cron/rpc.ts";
import type { CronRunRpc } from "./cron-run/rpc.ts";
import type { DeletionRpc } from "./deletion/rpc.ts";
import type { ApnsTokenRpc, NotificationRpc } from "./notification/rpc.ts";
import type { ProjectRpc } from "./project/rpc.ts";
import type { ProviderLoginRpc } from "./provider-login/rpc.ts";
import type { SandboxRpc } from "./sandbox/rpc.ts";
import type { SessionRpc } from "./session/rpc.ts";
import type { SweepRpc } from "./sweep/rpc.ts";
import type { WebhookRpc } from "./webhook/rpc.ts";
import type { WorkspaceEventsRpc } from "./workspace-events/rpc.ts";

/** Where objects run and store their state: a jurisdiction of the platform, or anywhere. */
export interface Place {
  /** Empty for anywhere. It is part of the address: in another one, all objects are empty. */
  JURISDICTION: string;
}

/** The part of a namespace that has the objects of a place. */
export function getNamespace<Methods extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<Methods>,
  { JURISDICTION }: Place,
): DurableObjectNamespace<Methods> {
  return JURISDICTION ? namespace.jurisdiction(JURISDICTION as DurableObjectJurisdiction) : namespace;
}

function locate<Methods extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<Methods>,
  place: Place,
  name: string,
): DurableObjectStub<Methods> {
  return getNamespace(namespace, place).getByName(name);
}

/** The object of a session, by the session's id. */
export function getSessionObject(env: Place & { SESSION: DurableObjectNamespace<SessionRpc> }, sessionId: string) {
  return withCarriedRequestId(locate(env.SESSION, env, sessionId));
}

/** The object of a project, by the project's id. */
export function getProjectObject(env: Place & { PROJECT: DurableObjectNamespace<ProjectRpc> }, projectId: string) {
  return withCarriedRequestId(locate(env.PROJECT, env, projectId));
}

/** The object of a cron, by the cron's id. */
export function getCronObject(env: Place & { CRON: DurableObjectNamespace<CronRpc> }, cronId: string) {
  return withCarriedRequestId(locate(env.CRON, env, cronId));
}

/** The object of a cron run, by the run's id. */
export function getCronRunObject(env: Place & { CRON_RUN: DurableObjectNamespace<CronRunRpc> }, runId: string) {
  return withCarriedRequestId(locate(env.CRON_RUN, env, runId));
}

/** The bindings of the objects that host turns. */
export interface TurnOwners extends Place {
  SESSION: DurableObjectNamespace<SessionRpc>;
  PROJECT: DurableObjectNamespace<ProjectRpc>;
  CRON_RUN: DurableObjectNamespace<CronRunRpc>;
}

/** The object that hosts the turns of an owner. */
export function getTurnOwnerObject(env: TurnOwners, { type, id }: TurnOwner): DurableObjectStub<TurnOwnerRpc> {
  switch (type) {
    case "session":
      return getSessionObject(env, id);
    case "cron-run":
      return getCronRunObject(env, id);
    case "project":
      return getProjectObject(env, id);
  }
}

/** The object of a sandbox, by its key. */
export function getSandboxObject(env: Place & { SANDBOX: DurableObjectNamespace<SandboxRpc> }, sandboxKey: string) {
  return withCarriedRequestId(locate(env.SANDBOX, env, sandboxKey));
}

/** The object of a login, by the login's id. */
export function getProviderLoginObject(
  env: Place & { PROVIDER_LOGIN: DurableObjectNamespace<ProviderLoginRpc> },
  { id }: LoginName,
) {
  return withCarriedRequestId(locate(env.PROVIDER_LOGIN, env, id));
}

/**
 * The object of the service's access to a repository. It is named by the repository's id, or by the
 * lowercase repository name while the id is not known.
 */
export function getCodeHostTokenObject(
  env: Place & { CODE_HOST_TOKEN_OBJECT: DurableObjectNamespace<CodeHostTokenRpc> },
  { repository, repositoryId }: RepositoryRef,
) {
  const name = repositoryId === null ? repository.toLowerCase() : String(repositoryId);
  return withCarriedRequestId(locate(env.CODE_HOST_TOKEN_OBJECT, env, name));
}

/** The inbox of a repository's webhooks, by the code host's id of the repository. */
export function getWebhookInboxObject(
  env: Place & { WEBHOOK_INBOX: DurableObjectNamespace<WebhookInboxRpc> },
  repositoryId: number,
) {
  return withCarriedRequestId(locate(env.WEBHOOK_INBOX, env, String(repositoryId)));
}

/** The object that deletes a workspace or a project. */
export function getDeletionObject(
  env: Place & { DELETION: DurableObjectNamespace<DeletionRpc> },
  { type, id }: DeletionName,
) {
  return withCarriedRequestId(locate(env.DELETION, env, `${type} ${id}`));
}

/** The object that reports a workspace's events to its listeners. */
export function getWorkspaceEventsObject(
  env: Place & { WORKSPACE_EVENTS: DurableObjectNamespace<WorkspaceEventsRpc> },
  workspaceId: string,
) {
  return withCarriedRequestId(locate(env.WORKSPACE_EVENTS, env, workspaceId));
}

/** The object of a notification, by the notification's id. */
export function getNotificationObject(
  env: Place & { NOTIFICATION: DurableObjectNamespace<NotificationRpc> },
  notificationId: string,
) {
  return withCarriedRequestId(locate(env.NOTIFICATION, env, notificationId));
}

/** The object of the provider token for the push service, by the key that signs the token. */
export function getApnsTokenObject(
  env: Place & { APNS_TOKEN: DurableObjectNamespace<ApnsTokenRpc> },
  { teamId, keyId }: { teamId: string; keyId: string },
) {
  return withCarriedRequestId(locate(env.APNS_TOKEN, env, `${teamId} ${keyId}`));
}

/** The object of a webhook, by the webhook's id. */
export function getWebhookObject(env: Place & { WEBHOOK: DurableObjectNamespace<WebhookRpc> }, webhookId: string) {
  return withCarriedRequestId(locate(env.WEBHOOK, env, webhookId));
}

/** The object of a sweep, by its name. */
export function getSweepObject(env: Place & { SWEEP: DurableObjectNamespace<SweepRpc> }, name: SweepName) {
  return withCarriedRequestId(locate(env.SWEEP, env, name));
}

/**
 * Copies a result, so that this object owns the copy. The platform marks the result of each call as
 * disposable. A result that is forwarded unchanged keeps the call open until its receiver disposes
 * of it, and no receiver does.
 */
export const detachRpcResult = <Result extends object>(result: Result): Result => ({ ...result });
