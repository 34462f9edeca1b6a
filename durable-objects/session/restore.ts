// Sets the object of a session back to an earlier time, by the platform's point-in-time recovery.
// The platform replaces the whole storage when the object starts again. The restored storage has no
// record of that, but it has the unfinished effects of that time, which must not be performed. So
// the record of the restore is in the database, and the object reads it before it continues
// anything.
import { service } from "../../src/access/rules/actor.ts";
import type { DeletedPerson } from "../../src/deletion/rules/person.ts";
import type { Env } from "../../src/env.ts";
import { getErrorMessage } from "../../src/lib/error-text.ts";
import { createId, createName } from "../../src/lib/ids.ts";
import { log } from "../../src/lib/log.ts";
import { waitAtMost } from "../../src/lib/timeout.ts";
import { sandboxKeyCharacters } from "../../src/rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";
import { createSandboxKey } from "../../src/sandbox/rules/sandbox-key.ts";
import {
  deleteRestore,
  findRestore,
  type SessionRestore,
  saveRestore,
  updateRestore,
} from "../../src/session/queries/restores.ts";
import { applyRestore, checkIdleForRestore } from "../../src/session/rules/restore.ts";
import type { SessionContext } from "./context.ts";
import type { Restored } from "./rpc.ts";

/** The storage key for the restore that this storage knows, as asked for or as settled. */
const knownKey = "restore";
interface KnownRestore {
  token: string;
  isSettled: boolean;
}

/** The longest wait for the database before an object continues its work. */
const checkWaitMs = 5_000;

/** The restores of an object. */
export interface Recovery {
  /**
   * The platform's name for the state of a time. Refuses if the object may not be set back to it.
   */
  findBookmark(time: number): Promise<string | Refusal>;
  /**
   * Notes the restore in this storage and in the database, and restarts the object with the storage
   * of that time. Throws then, because the object stops. Refuses where that is not possible.
   */
  restore(restore: Pick<SessionRestore, "sessionId" | "token" | "toTime">): Promise<Refusal>;
  /** Settles the restored session. Repeatable. */
  settle(restore: SessionRestore): Restored;
  /** What names these people as authors of the session, for those who are. */
  listNamed(userIds: readonly string[]): DeletedPerson[];
  /** Returns to the state before the restore, and restarts the object. Throws then. */
  undo(restore: SessionRestore): Promise<void>;
  /**
   * Drops what the restored storage was about to do. Does nothing for an object that has nothing
   * to continue, or that was not restored.
   */
  settleBeforeEffects(): Promise<void>;
}

/** Why the platform does not have the state of a time. */
function explainMissing(error: unknown): Refusal {
  const reason = getErrorMessage(error);
  return /not implement point-in-time/.test(reason)
    ? refuse("BAD_REQUEST", "On one machine, no session can be restored. Restore a backup of the whole service.")
    : refuse("SERVICE_UNAVAILABLE", `The platform does not have the session's state of that time: ${reason}`);
}

/** Creates what restores an object to an earlier time. */
export function createRecovery(ctx: DurableObjectState, context: SessionContext): Recovery {
  const { env, store, chat, shell, decide } = context;
  const { storage } = ctx;
  const known = () => storage.kv.get<KnownRestore>(knownKey) ?? null;

  /** Restarts the object with the storage of a bookmark. */
  function restart(): never {
    ctx.abort("The object is set back to an earlier time.");
    throw new Error("The object is set back to an earlier time.");
  }

  async function findBookmark(time: number): Promise<string | Refusal> {
    const state = store.find();
    const busy = checkIdleForRestore(state);
    if (busy) return busy;
    if (state === null && shell.hasEffects())
      return refuse("CONFLICT", "The session is still being deleted. Try again in a minute.");
    try {
      return await storage.getBookmarkForTime(time);
    } catch (error) {
      return explainMissing(error);
    }
  }

  /** False if this storage is of the time before the restore, or was settled. */
  const isUnsettled = ({ token }: Pick<SessionRestore, "token">) => known()?.token !== token;

  /** Must run without `await` before and after, so that all of it is stored or nothing. */
  function settleNow({ token, sandboxKey, lastEventId, askedAt }: SessionRestore): void {
    const conversationId = createId();
    decide(service, (state, now) => applyRestore(state, { askedAt, sandboxKey, conversationId }, now));
    chat.restartEvents(lastEventId);
    storage.kv.put(knownKey, { token, isSettled: true } satisfies KnownRestore);
    for (const socket of ctx.getWebSockets()) socket.close(1012, "the session was restored");
  }

  return {
    findBookmark,
    async restore({ sessionId, token, toTime }) {
      const bookmark = await findBookmark(toTime);
      if (isRefusal(bookmark)) return bookmark;
      const { sandboxKey = createSandboxKey("session", createName(sandboxKeyCharacters)) } =
        store.find()?.session ?? {};
      const restore = { sessionId, token, toTime, undo: null, askedAt: Date.now(), settledAt: null };
      storage.kv.put(knownKey, { token, isSettled: false } satisfies KnownRestore);
      // The database is written after this storage, which must know of the restore by then.
      await storage.sync();
      await saveRestore(env.DB, { ...restore, sandboxKey, lastEventId: chat.lastEventId() });
      const undo = await storage.onNextSessionRestoreBookmark(bookmark);
      // From here on, any restart restores the session, so the object must not stay as it is.
      await updateRestore(env.DB, restore, { undo }).catch(() => undefined);
      return restart();
    },
    settle(restore) {
      if (isUnsettled(restore)) {
        if (store.find() === null) return "absent";
        settleNow(restore);
      } else if (known()?.isSettled === false) return "not-restored";
      return "restored";
    },
    listNamed(userIds) {
      const rows = storage.sql.exec<{ id: string; name: string; email: string }>(
        `SELECT DISTINCT a.value ->> 'userId' AS id, a.value ->> 'name' AS name, lower(a.value ->> 'email') AS email
         FROM (SELECT author AS value FROM messages UNION SELECT sender FROM turns UNION SELECT author FROM up_next
               UNION SELECT author FROM review_comments UNION SELECT assignee FROM session) a
         WHERE a.value ->> 'userId' IN (SELECT value FROM json_each(?))`,
        JSON.stringify(userIds),
      );
      const named = Map.groupBy(rows, ({ id }) => id);
      return [...named].map(([id, of]) => ({
        ...{ id, login: null, names: [...new Set(of.flatMap(({ name }) => name ?? []))] },
        addresses: [...new Set(of.flatMap(({ email }) => email ?? []))],
      }));
    },
    async undo(restore) {
      // The database may have missed the bookmark of the state before the restore.
      const before = restore.undo ?? (await storage.getBookmarkForTime(restore.askedAt));
      await storage.onNextSessionRestoreBookmark(before);
      await deleteRestore(env.DB, restore);
      restart();
    },
    async settleBeforeEffects() {
      const state = store.find();
      const isIdle = checkIdleForRestore(state) === null && !shell.hasEffects();
      const sessionId = state?.session.id ?? ctx.id.name;
      if (isIdle || sessionId === undefined) return;
      const restore = await findInTime(env, sessionId);
      if (restore === null || !isUnsettled(restore)) return;
      shell.dropEffects();
      if (state !== null) settleNow(restore);
    },
  };
}

/**
 * The newest restore of a session. Null if the database does not answer: nothing can have been
 * restored since it stopped, because a restore writes to it first.
 */
async function findInTime(env: Pick<Env, "DB">, sessionId: string): Promise<SessionRestore | null> {
  let found: SessionRestore | null = null;
  const reading = findRestore(env.DB, sessionId).then(
    (restore) => {
      found = restore;
    },
    (error: unknown) => log.warn("session.restore_not_checked", { sessionId, error }),
  );
  await waitAtMost(reading, checkWaitMs);
  return found;
}
