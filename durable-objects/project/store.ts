// The project object's storage: loads the state for the rules, and writes what a decision changed.
import { desc, eq, lte, sql } from "drizzle-orm";
import type { DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";
import { createChatState, toSettledChat } from "../../src/chat/rules/chat.ts";
import type { LiveEvent } from "../../src/chat/rules/live-event.ts";
import { isChatStart } from "../../src/deploy/rules/deploy-chat.ts";
import { type Deploy, findWorkSandboxKey, type ProjectState } from "../../src/deploy/rules/project-state.ts";
import { emptyPool } from "../../src/deploy/rules/spare-pool.ts";
import { createId } from "../../src/lib/ids.ts";
import type { Chat } from "../chat/chat.ts";
import { chatTables, isRecordChanged, splitChatRow, toChatRow } from "../chat/store.ts";
import { createCachedState } from "../object/cached-state.ts";
import { deploys, deployTurns, eventLog, project } from "./tables.ts";

/** The tables that are cleared with the project. */
const ofProject = [project, deploys, deployTurns, ...chatTables, eventLog];

const turnsOnPage = 500;

export interface ProjectStore {
  /** Null for a project that never had a Deploy. */
  find(): ProjectState | null;
  /** Discards the cached state after a transaction was rolled back. */
  invalidate(): void;
  /** Writes the changes, and returns the events for the messages of the service. */
  save(before: ProjectState | null, after: ProjectState): LiveEvent[];
  clear(): void;
  deploy(deployId: string): Deploy | null;
  /** Newest Deploy first. */
  deploys(page: number, pageSize: number): { deploys: Deploy[]; total: number };
  /** The Deploy of a turn, and the sandbox that it runs in; null for an unknown turn. */
  turnPlace(turnId: string): { deployId: string; sandboxKey: string | null } | null;
  /**
   * Returns a function that reads the Deploys of turns, for callers that ask in the order of the
   * conversation. The function returns null for an unknown turn.
   */
  createDeployFinder(): (turnId: string) => string | null;
  /** The position in the conversation after which the Deploy Chat starts. */
  chatBeginsAfter(): number;
}

/** The state of a project before its first Deploy. */
export function createProjectState(facts: {
  projectId: string;
  workspaceId: string;
  liveSandboxKey: string | null;
}): ProjectState {
  const { projectId: id, workspaceId, liveSandboxKey } = facts;
  return {
    ...{ id, workspaceId, liveSandboxKey },
    deploy: null,
    replacedDeploy: null,
    leaving: [],
    draft: null,
    instructions: [],
    savedModel: null,
    turnDeployId: null,
    pool: emptyPool,
    stuckCheckout: null,
    isMainReclaimed: false,
    chat: createChatState({ model: null, conversationId: id }),
    says: [],
  };
}

/** True if nothing of the project's own row has changed. */
function isSameRecord(before: ProjectState | null, record: Partial<ProjectState>): boolean {
  if (before === null) return false;
  const names = Object.keys(record) as (keyof ProjectState)[];
  return names.every((name) => before[name] === record[name]);
}

/** Creates the storage of a project. */
export function createProjectStore(
  db: DrizzleSqliteDODatabase,
  { store: chats, conversation }: Pick<Chat, "store" | "conversation">,
): ProjectStore {
  const newest = () => db.select().from(deploys).orderBy(desc(deploys.number)).limit(1).get() ?? null;

  const cached = createCachedState<ProjectState>(() => {
    const row = db.select().from(project).get();
    if (!row) return null;
    const { chatBeginsAfter: _, ...split } = row;
    const { record, chat } = splitChatRow(split);
    return { ...record, deploy: newest(), replacedDeploy: null, says: [], chat: chats.load(chat) };
  });

  const begins = () => db.select({ after: project.chatBeginsAfter }).from(project).get()?.after ?? 0;

  const store: ProjectStore = {
    find: cached.find,
    invalidate: cached.invalidate,
    save(before, after) {
      cached.invalidate();
      const { deploy, replacedDeploy, says, chat, ...record } = after;
      const isStart = isChatStart(before, after);
      // The replaced Deploy is written first, because a unique index allows only one in progress.
      for (const one of [replacedDeploy, deploy]) {
        if (one === null || one === before?.deploy) continue;
        db.insert(deploys).values(one).onConflictDoUpdate({ target: deploys.id, set: one }).run();
      }
      if (isStart || isRecordChanged(before?.chat, chat) || !isSameRecord(before, record)) {
        const chatBeginsAfter = isStart ? conversation.end() : begins();
        const row = { ...record, chatBeginsAfter, ...toChatRow(chat) };
        db.insert(project).values(row).onConflictDoUpdate({ target: project.id, set: row }).run();
      }
      const said = says.map(({ deployId: about, content, createdAt }) => ({
        id: createId(createdAt),
        about,
        content,
        createdAt,
      }));
      for (const message of said) conversation.appendSystem(message);
      chats.save(before?.chat ?? null, chat);
      if (chat.turn && chat.turn.id !== before?.chat.turn?.id && after.turnDeployId !== null) {
        const place = { turnId: chat.turn.id, deployId: after.turnDeployId, sandboxKey: findWorkSandboxKey(after) };
        db.insert(deployTurns).values(place).onConflictDoNothing().run();
      }
      cached.set({ ...after, replacedDeploy: null, says: [], chat: toSettledChat(chat) });
      return said.map((message) => ({ type: "system-message", turnId: null, message }));
    },
    clear() {
      cached.invalidate();
      for (const table of ofProject) db.delete(table).run();
    },
    deploy: (deployId) => db.select().from(deploys).where(eq(deploys.id, deployId)).get() ?? null,
    deploys(page, pageSize) {
      // Deploys are numbered without gaps, so the numbers of a page can be computed, and earlier
      // pages are not read.
      const total = newest()?.number ?? 0;
      const upTo = lte(deploys.number, total - (page - 1) * pageSize);
      return {
        deploys: db.select().from(deploys).where(upTo).orderBy(desc(deploys.number)).limit(pageSize).all(),
        total,
      };
    },
    turnPlace(turnId) {
      const { deployId, sandboxKey } = deployTurns;
      return db.select({ deployId, sandboxKey }).from(deployTurns).where(eq(deployTurns.turnId, turnId)).get() ?? null;
    },
    createDeployFinder() {
      // Reads turns in pages, because a conversation has thousands of them. Turns are stored in
      // order.
      let page = new Map<string, string | null>();
      const from = (turnId: string) =>
        db
          .select({ turnId: deployTurns.turnId, deployId: deployTurns.deployId })
          .from(deployTurns)
          .where(sql`rowid >= (SELECT rowid FROM deploy_turns WHERE turn_id = ${turnId})`)
          .orderBy(sql`rowid`)
          .limit(turnsOnPage)
          .all();
      return (turnId) => {
        const known = page.get(turnId);
        if (known !== undefined) return known;
        const found = from(turnId);
        if (found.length > 0) page = new Map(found.map((turn) => [turn.turnId, turn.deployId]));
        const deployId = page.get(turnId) ?? null;
        page.set(turnId, deployId);
        return deployId;
      };
    },
    chatBeginsAfter: begins,
  };
  return store;
}
