// The object that deletes a workspace, project or person, one for each. Each alarm deletes a page
// and sets the next alarm, so an interrupted deletion continues where it was.

import { service } from "../../src/access/rules/actor.ts";
import { deleteActivity } from "../../src/activity/record.ts";
import { deletePrototype } from "../../src/artifact/prototypes.ts";
import {
  deleteCronProject,
  deleteCronRows,
  listProjectCrons,
  listWorkspaceCrons,
} from "../../src/cron/queries/crons.ts";
import {
  deleteProjectRows,
  findDeletion,
  listNextSessions,
  listRemainingPrototypes,
  recordDeletionEnd,
} from "../../src/deletion/queries.ts";
import {
  type DeletedProject,
  type Deletion,
  type DeletionName,
  type DeletionPage,
  findNextPageMs,
} from "../../src/deletion/rules/deletion.ts";
import type { PersonProgress } from "../../src/deletion/rules/person-progress.ts";
import type { Env } from "../../src/env.ts";
import { revokeSessionTokens } from "../../src/key/queries/keys.ts";
import { log } from "../../src/lib/log.ts";
import { deleteSessionRows } from "../../src/session/queries/index.ts";
import { deleteOwnedObjects } from "../../src/storage/attachments.ts";
import { deleteWebhookRow, listWebhookRows } from "../../src/webhook/queries.ts";
import {
  getCronObject,
  getProjectObject,
  getSandboxObject,
  getSessionObject,
  getWebhookObject,
  getWorkspaceEventsObject,
} from "../address.ts";
import { ServiceObject } from "../object/service-object.ts";
import { deletePersonPage } from "./person.ts";
import type { DeletionRpc } from "./rpc.ts";

const retryMs = 5_000;

export class DeletionObject extends ServiceObject implements DeletionRpc {
  async start(name: DeletionName): Promise<void> {
    this.ctx.storage.kv.put("name", name);
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now());
  }

  async personProgress(): Promise<PersonProgress | null> {
    return this.ctx.storage.kv.get<PersonProgress>("person") ?? null;
  }

  /** Never throws, because the platform abandons an alarm that fails repeatedly. */
  override async alarm(): Promise<void> {
    const name = this.ctx.storage.kv.get<DeletionName>("name");
    if (!name) return;
    const waitMs = await this.#deleteNextPage(name).catch((error: unknown) => {
      log.warn("deletion.delayed", { deletes: name.type, id: name.id, error });
      return retryMs;
    });
    if (waitMs === null) await this.ctx.storage.deleteAll();
    else await this.ctx.storage.setAlarm(Date.now() + waitMs);
  }

  /** Deletes one page. Returns the time until the next one; null if the deletion is complete. */
  async #deleteNextPage(name: DeletionName): Promise<number | null> {
    const deletion = await findDeletion(this.env.DB, name);
    if (!deletion) return null;
    const { kv } = this.ctx.storage;
    const page = deletion.person
      ? await deletePersonPage(this.env, { person: deletion.person, createdAt: deletion.createdAt }, kv)
      : await deletePage(this.env, deletion, {
          find: () => kv.get<string[]>("projectsLeft") ?? null,
          keep: (ids) => (ids === null ? kv.delete("projectsLeft") : kv.put("projectsLeft", ids)),
        });
    const waitMs = findNextPageMs(deletion, page, Date.now());
    if (waitMs === null) await recordDeletionEnd(this.env.DB, name);
    return waitMs;
  }
}

/**
 * Busy sessions are deleted in parallel, because a turn that must be stopped takes a while. Idle
 * ones are deleted one at a time, so that users who work elsewhere do not wait for them.
 */
const sessionsPerPage = { busy: 20, idle: 1 };
const prototypesPerPage = 20;
const cronsPerPage = 20;
const projectsPerPage = 50;
/** The projects of a page that are deleted in parallel. */
const projectsAtOnce = 10;
const eventsPerPage = 5_000;

/** The projects whose objects are still to be deleted, in the order in which that is tried. */
export interface ProjectsLeft {
  /** Null before the first page of projects, and once none is left. */
  find(): string[] | null;
  keep(ids: string[] | null): void;
}

/**
 * Deletes one page of what is left: the webhooks of a workspace, some of the crons, then of the
 * sessions, the Prototypes, the activity of a workspace, the projects, and the events of a
 * workspace. A page is an invocation of its own, and makes far fewer calls than the platform allows
 * in one. Safe to repeat.
 */
async function deletePage(
  env: Env,
  { type, id, projects }: Deletion,
  projectsLeft: ProjectsLeft,
): Promise<DeletionPage> {
  const projectIds = projects.map(({ id }) => id);
  const webhooks = type === "workspace" ? await listWebhookRows(env.DB, id) : [];
  if (webhooks.length > 0) {
    return await deleteEach(webhooks, async (webhook) => {
      await getWebhookObject(env, webhook.id).delete();
      return await deleteWebhookRow(env.DB, webhook.id);
    });
  }
  const crons = await (type === "workspace"
    ? listWorkspaceCrons(env.DB, id, cronsPerPage)
    : listProjectCrons(env.DB, id, cronsPerPage));
  if (crons.length > 0)
    return await deleteEach(crons, (cron) => deleteCron(env, cron.id, type === "project" ? id : null));
  const sessions = await listNextSessions(env.DB, projectIds, sessionsPerPage);
  if (sessions.length > 0) return await deleteEach(sessions, (session) => deleteSession(env, session));
  const prototypes = await listRemainingPrototypes(env.DB, projectIds, prototypesPerPage);
  if (prototypes.length > 0) {
    return await deleteEach(prototypes, async (row) => {
      await deletePrototype(env, row, Date.now());
      return true;
    });
  }
  // The activity of a deleted project stays with its workspace.
  const events = type === "workspace" ? await deleteActivity(env.DB, id, eventsPerPage) : 0;
  if (events > 0) return { found: events, deleted: events };
  const left = projectsLeft.find() ?? projectIds;
  const page = projects.filter((project) => left.slice(0, projectsPerPage).includes(project.id));
  const failed: string[] = [];
  for (let at = 0; at < page.length; at += projectsAtOnce) {
    await deleteEach(page.slice(at, at + projectsAtOnce), async (project) => {
      failed.push(project.id);
      await deleteProject(env, project);
      failed.splice(failed.indexOf(project.id), 1);
      return true;
    });
  }
  // Failed projects come last, so that they do not block others.
  const stillLeft = [...left.slice(projectsPerPage), ...failed];
  projectsLeft.keep(stillLeft.length === 0 ? null : stillLeft);
  if (stillLeft.length > 0) return { found: page.length, deleted: page.length - failed.length };
  await deleteProjectRows(env.DB, projectIds);
  // Last, because the deletion of a session or a cron is published there.
  if (type === "workspace") await getWorkspaceEventsObject(env, id).delete();
  return { found: 0, deleted: 0 };
}

async function deleteProject(env: Env, { id, mainSandboxKey }: DeletedProject): Promise<void> {
  await getProjectObject(env, id).delete();
  if (mainSandboxKey !== null) await getSandboxObject(env, mainSandboxKey).destroy();
}

/**
 * Deletes things in parallel. One that fails is left to the next page, and does not block others.
 */
async function deleteEach<Thing extends { id: string }>(
  things: Thing[],
  remove: (thing: Thing) => Promise<boolean>,
): Promise<DeletionPage> {
  const outcomes = await Promise.all(
    things.map((thing) =>
      remove(thing).catch((error: unknown) => {
        log.warn("deletion.part_delayed", { id: thing.id, error });
        return false;
      }),
    ),
  );
  return { found: things.length, deleted: outcomes.filter((isDeleted) => isDeleted).length };
}

/**
 * Deletes a cron, or removes a deleted project from it. A cron whose run is starting is left to the
 * next page.
 */
async function deleteCron(env: Env, cronId: string, projectId: string | null): Promise<boolean> {
  const cron = getCronObject(env, cronId);
  if (projectId !== null) {
    await cron.deleteProject(projectId);
    await deleteCronProject(env.DB, cronId, projectId);
    return true;
  }
  const refusal = await cron.delete(service);
  if (refusal?.code === "NOT_FOUND") await deleteCronRows(env.DB, cronId);
  return refusal === null || refusal.code === "NOT_FOUND";
}

/**
 * Returns true if the session is deleted. Its object first stops its turn, and deletes the sandbox
 * and everything stored for it.
 */
async function deleteSession(env: Env, { id, sandboxKey }: { id: string; sandboxKey: string }): Promise<boolean> {
  const refusal = await getSessionObject(env, id).delete(service);
  if (!refusal) return true;
  if (refusal.code !== "NOT_FOUND") return false;
  // The object has already deleted the session, or never had it. Only its traces are left.
  await getSandboxObject(env, sandboxKey).destroy();
  await revokeSessionTokens(env.DB, id);
  await deleteOwnedObjects(env, { type: "session", id });
  await deleteSessionRows(env.DB, id);
  return true;
}
