// The turns of this sandbox: at most one that may change the checkout, and concurrent turns that
// only read. Each runs once. Its events are sent until the service has stored them all. No turn
// that may change the checkout starts during a compaction.
import { join } from "node:path";
import type { AgentProfile } from "../../src/chat/rules/agent-profile.ts";
import { readingTurnsMax } from "../../src/rules/limits.ts";
import type { Compacted, Compaction, TurnOutcome, TurnStart } from "../../src/sandbox-protocol/protocol.ts";
import type { Agent } from "../agent/agent.ts";
import { createPlaceholderAccess } from "../agent/tools/product-tools.ts";
import type { Folders } from "../folders.ts";
import { commitWithinFetched } from "../git/base.ts";
import { createRefusal } from "../http/refusal.ts";
import { requireCheckout } from "../project/checkout-record.ts";
import type { Services } from "../services/services.ts";
import { createCompactions } from "./compactions.ts";
import { deleteJournal, type Journal, loadJournal, readJournalState } from "./journal.ts";
import { dialTurnLink, type TurnLink } from "./link.ts";
import { startTurn, type Turn } from "./turn.ts";

export interface Turns {
  /** The turn that may change the checkout, while its agent is running. */
  runningId(): string | null;
  /**
   * Starts a turn. One that may change the checkout waits for the pending manual actions of
   * members.
   */
  start(start: TurnStart): Promise<void>;
  /**
   * Stops a turn. Settles when its processes are gone. A turn that has not started yet will not
   * start later.
   */
  stop(turnId: string): Promise<void>;
  /** Ends all running turns because the program ends. Nobody has cancelled them. */
  stopAll(): Promise<void>;
  /** Ends every running turn with the same outcome. */
  endAll(outcome: TurnOutcome): Promise<void>;
  /** From now on no turn starts. Running turns continue. */
  takeNoMore(): void;
  /** True while a turn runs, or while the service has not stored all events of one. */
  hasUndelivered(): boolean;
  compact(wanted: Compaction): Promise<Compacted>;
  /** Runs a member's manual action in the checkout. Excludes turns that may change the checkout. */
  byHand<Result>(act: () => Promise<Result>): Promise<Result>;
}

/** A turn whose last event the service has not stored yet. */
interface LiveTurn {
  /** True if it may change the checkout. */
  writes: boolean;
  journal: Journal;
  turn: Turn | null;
}

const restarted = "The sandbox was restarted while the turn ran; its work up to then is in the checkout.";
const unreachable = "The sandbox could not reach the service for several minutes, so the turn was ended.";

/** Creates the turns. Knows the turns of an earlier program from their journals. */
export function createTurns(folders: Folders, agent: Agent, services: Services): Turns {
  const journals = join(folders.state, "turns");
  const live = new Map<string, LiveTurn>();
  const compactions = createCompactions(agent, createPlaceholderAccess(folders, services));
  const hands = new Set<Promise<unknown>>();
  let isLeaving = false;

  const running = () => [...live.values()].filter(({ journal }) => !journal.isEnded());
  const runningWriter = () => running().find(({ writes }) => writes);

  function requireRest(): void {
    if (runningWriter()) throw createRefusal("TURN_RUNNING", "Another turn is running in this sandbox.");
  }

  function requireRoom({ writes }: AgentProfile): void {
    if (isLeaving) throw createRefusal("LEAVING", "This sandbox is about to end, and starts no more turns.");
    if (writes) {
      requireRest();
      if (compactions.isRunning()) throw createRefusal("TURN_RUNNING", "The conversation is being compacted.");
    } else if (running().filter((entry) => !entry.writes).length >= readingTurnsMax) {
      throw createRefusal("TURN_RUNNING", `${readingTurnsMax} turns are reading in this sandbox, which is the limit.`);
    }
  }

  /**
   * Fetches the Target Branch and waits for the manual actions of members. Returns the commit of
   * the branch that the checkout contains.
   */
  async function readyToWrite({ targetBranch, git }: TurnStart): Promise<string | undefined> {
    const targetCommit = await commitWithinFetched(folders, targetBranch, git.token);
    while (hands.size > 0) await Promise.allSettled(hands);
    return targetCommit;
  }

  /** Sends a journal's events until the service has stored them all. */
  function deliver(start: TurnStart, entry: LiveTurn): TurnLink {
    const { turnId } = start;
    const forget = () => {
      live.delete(turnId);
      entry.journal.finish();
    };
    return dialTurnLink(start.link, entry.journal, {
      onKnown: () => entry.turn?.begin(),
      onSteer: (steer) => entry.turn?.steer(steer),
      onOutputs: (areShown) => entry.turn?.showOutputs(areShown),
      onStop: () => void entry.turn?.end({ status: "cancelled" }),
      onDelivered: forget,
      onOver: () => void (entry.turn?.end({ status: "cancelled" }) ?? Promise.resolve()).then(forget),
      onLost: () => void entry.turn?.end({ status: "failed", error: unreachable, errorCode: null }),
    });
  }

  function begin(start: TurnStart, targetCommit: string | undefined): void {
    requireRoom(start.profile);
    const checkout = requireCheckout(folders);
    const { id, isNew, handover } = start.conversation;
    if (!isNew && handover === null && !agent.hasConversation(id)) {
      throw createRefusal("CONVERSATION_MISSING", "The sandbox does not hold this conversation.");
    }
    const journal = loadJournal(journals, start.turnId);
    const entry: LiveTurn = { writes: start.profile.writes, journal, turn: null };
    live.set(start.turnId, entry);
    const link = deliver(start, entry);
    entry.turn = startTurn(agent, folders, { ...checkout, targetCommit }, services, start, {
      emit(event) {
        if (journal.isEnded()) return;
        journal.append(event);
        link.wake();
      },
      print: link.print,
    });
  }

  /** Reports a turn as failed after its program was killed. It is neither resumed nor run again. */
  function reportUnfinished(start: TurnStart): void {
    const journal = loadJournal(journals, start.turnId);
    if (!journal.isEnded())
      journal.append({ type: "ended", outcome: { status: "failed", error: restarted, errorCode: null } });
    const entry: LiveTurn = { writes: start.profile.writes, journal, turn: null };
    live.set(start.turnId, entry);
    deliver(start, entry);
  }

  async function endAll(outcome: TurnOutcome): Promise<void> {
    await Promise.all([...live.values()].map(({ turn }) => turn?.end(outcome)));
  }

  return {
    runningId: () => runningWriter()?.journal.turnId ?? null,
    async start(start) {
      const targetCommit = start.profile.writes ? await readyToWrite(start) : undefined;
      if (live.has(start.turnId)) return;
      switch (readJournalState(journals, start.turnId)) {
        case "none":
          begin(start, targetCommit);
          return;
        case "announced":
          // The service starts the turn again because it has stored no event of it. So the agent
          // cannot have acted yet.
          deleteJournal(journals, start.turnId);
          begin(start, targetCommit);
          return;
        case "unfinished":
          reportUnfinished(start);
          return;
        case "finished":
          return;
      }
    },
    async stop(turnId) {
      const entry = live.get(turnId);
      if (entry) await entry.turn?.end({ status: "cancelled" });
      else if (readJournalState(journals, turnId) === "none") {
        const journal = loadJournal(journals, turnId);
        journal.append({ type: "ended", outcome: { status: "cancelled" } });
        journal.close();
      }
    },
    async stopAll() {
      compactions.abort();
      await endAll({ status: "failed", error: restarted, errorCode: null });
    },
    endAll,
    takeNoMore() {
      isLeaving = true;
    },
    hasUndelivered: () => live.size > 0,
    async compact(wanted) {
      requireRest();
      requireCheckout(folders);
      return await compactions.run(wanted);
    },
    async byHand(act) {
      requireRest();
      const acting = act();
      hands.add(acting);
      try {
        return await acting;
      } finally {
        hands.delete(acting);
      }
    },
  };
}
