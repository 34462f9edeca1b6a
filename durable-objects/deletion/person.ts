// One page of the deletion of a person: their turns are stopped, and what names them in objects, in
// the database and in storage is replaced.
import { deletePersonFromDay } from "../../src/audit/archive.ts";
import { deleteLoneWorkspaces } from "../../src/deletion/lone-workspaces.ts";
import {
  deletePersonFromRows,
  deletePersonRows,
  listAuditDaysAfter,
  listIdsAfter,
} from "../../src/deletion/queries/person.ts";
import type { Deletion, DeletionPage } from "../../src/deletion/rules/deletion.ts";
import type { DeletedPerson } from "../../src/deletion/rules/person.ts";
import {
  getProgressAfter,
  isPassDue,
  isPassOver,
  type PersonProgress,
  type PersonStep,
  startPass,
} from "../../src/deletion/rules/person-progress.ts";
import type { Env } from "../../src/env.ts";
import { runInLanes } from "../../src/lib/concurrency.ts";
import { log } from "../../src/lib/log.ts";
import { getCronRunObject, getProjectObject, getSessionObject, getWorkspaceEventsObject } from "../address.ts";

/** Objects of a page, all in parallel: most of them have nothing to replace. */
const objectsPerPage = 20;
const rowsPerPage = 5_000;
const daysPerPage = 20;
/** After so many objects with events, a page starts no other day. */
const auditPartsPerPage = 100;

const progressName = "person";

/**
 * Handles one page, and stores how far the deletion is. Safe to repeat. A page that finds nothing
 * ends the deletion, or waits for the second pass.
 */
export async function deletePersonPage(
  env: Env,
  { person, createdAt }: { person: DeletedPerson } & Pick<Deletion, "createdAt">,
  kv: SyncKvStorage,
): Promise<DeletionPage> {
  const now = Date.now();
  const stored = kv.get<PersonProgress>(progressName);
  const isAgain = stored !== undefined && isPassDue(stored, createdAt, now);
  const progress = stored === undefined || isAgain ? startPass(now) : stored;
  if (isPassOver(progress)) return { found: 0, deleted: 0 };
  const page =
    progress.step === null ? await retryFailed(env, person, progress) : await handlePage(env, person, progress);
  kv.put(progressName, page.progress);
  return { found: 1, deleted: page.hasAdvanced ? 1 : 0 };
}

interface Handled {
  progress: PersonProgress;
  /** False if every try failed, so that the next one waits. */
  hasAdvanced: boolean;
}

async function handlePage(env: Env, person: DeletedPerson, progress: PersonProgress): Promise<Handled> {
  const { step, after } = progress;
  if (step === null) return { progress, hasAdvanced: true };
  const done = await handleStep(env, person, step, after);
  return { progress: getProgressAfter(progress, done), hasAdvanced: true };
}

async function handleStep(
  env: Env,
  person: DeletedPerson,
  step: PersonStep,
  after: string,
): Promise<{ last: string | null; handled: number; failed: string[] }> {
  const now = Date.now();
  switch (step) {
    case "account": {
      await deleteLoneWorkspaces(env, person.id, now);
      await deletePersonRows(env.DB, person, now);
      return { last: null, handled: 1, failed: [] };
    }
    case "activity":
    case "audit events":
    case "message texts": {
      const rows = await deletePersonFromRows(env.DB, step, { person, after: Number(after), limit: rowsPerPage });
      return { last: rows.last === null ? null : String(rows.last), handled: rows.changed, failed: [] };
    }
    case "audit days": {
      const days = await listAuditDaysAfter(env.DB, Number(after), daysPerPage);
      const handled: typeof days = [];
      let parts = 0;
      for (const day of days) {
        parts += await deletePersonFromDay(env, day, person);
        handled.push(day);
        if (parts >= auditPartsPerPage) break;
      }
      const last = handled.at(-1);
      return { last: last ? String(last.rowId) : null, handled: handled.length, failed: [] };
    }
    default: {
      const ids = await listIdsAfter(env.DB, step, { userId: person.id, after, limit: objectsPerPage });
      const failed = await forgetInObjects(
        env,
        person,
        ids.map((id) => ({ step, id })),
      );
      return { last: ids.at(-1) ?? null, handled: ids.length - failed.length, failed: failed.map(({ id }) => id) };
    }
  }
}

async function retryFailed(env: Env, person: DeletedPerson, progress: PersonProgress): Promise<Handled> {
  const page = progress.failed.slice(0, objectsPerPage);
  const again = await forgetInObjects(env, person, page);
  const handled = page.length - again.length;
  // Those that fail again come last, so that they do not block others.
  const failed = [...progress.failed.slice(objectsPerPage), ...again];
  return { progress: { ...progress, failed, handled: progress.handled + handled }, hasAdvanced: handled > 0 };
}

/** Returns the objects that could not be reached. */
async function forgetInObjects(
  env: Env,
  person: DeletedPerson,
  parts: PersonProgress["failed"],
): Promise<PersonProgress["failed"]> {
  const failed: PersonProgress["failed"] = [];
  await runInLanes(
    parts,
    objectsPerPage,
    (part) => getObject(env, part).deletePerson(person),
    (part, error) => {
      log.warn("deletion.part_delayed", { id: part.id, error });
      failed.push(part);
    },
  );
  return failed;
}

function getObject(
  env: Env,
  { step, id }: PersonProgress["failed"][number],
): { deletePerson(person: DeletedPerson): Promise<void> } {
  switch (step) {
    case "projects":
      return getProjectObject(env, id);
    case "cron runs":
      return getCronRunObject(env, id);
    case "workspaces":
      return getWorkspaceEventsObject(env, id);
    default:
      return getSessionObject(env, id);
  }
}
