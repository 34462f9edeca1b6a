// A long stream of a session, recorded as a subscriber receives it: turns with texts that grow,
// tools that print, plans, steers, questions, and messages that wait in the queue.
import type { Schemas } from "../../../packages/client/src/generated/api.ts";
import type { StateEvent } from "../../../packages/client/src/state.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import type { TurnEvent, TurnOutcome } from "../../../src/sandbox-protocol/protocol.ts";
import { type RandomSource, randomSource } from "../../support/random-source.ts";
import { openSubscriber, type ReceivedEvent } from "./live-subscriber.ts";
import { beginSession, type SessionDriver, started, textBlock, toolBlock } from "./session-driver.ts";

type Message = Schemas["Message"];

export interface Recording {
  driver: SessionDriver;
  /** Every event from the beginning. One without an id has that of the event before it. */
  events: StateEvent[];
  /** What a client read in the middle of a turn, and the snapshot that it got then. */
  snapshots: { messages: Message[]; events: StateEvent[] }[];
}

/** More messages than the turns take would fill the queue. */
const mostWaiting = 5;

/** Plays turns on a new session until its stream has this many events. */
export async function recordStream(seed: number, eventCount: number): Promise<Recording> {
  const random = randomSource(seed);
  const driver = await beginSession();
  const reader = await (await openSubscriber(driver.session())).catchUp();
  const snapshots: Recording["snapshots"] = [];
  const look = async () => {
    snapshots.push({ messages: await readMessages(driver), events: await readSnapshot(driver) });
  };
  while (reader.events.length < eventCount) await playTurn(driver, random, look);
  // A message that waits starts a turn, so the recording ends when none does.
  while ((await driver.state()).chat.turn?.status === "pending") await playTurn(driver, random, null);
  const [newest] = await driver.sql<{ id: number }>("SELECT max(id) AS id FROM event_log");
  await reader.heard(({ id }) => id === String(newest?.id));
  reader.leave();
  return { driver, events: toStateEvents(reader.events), snapshots };
}

/** Reads the conversation as the service stores it. */
export async function readMessages(driver: SessionDriver): Promise<Message[]> {
  return await new Response(await driver.session().messages()).json();
}

/** Events as the client library passes them on. */
export function toStateEvents(received: readonly ReceivedEvent[]): StateEvent[] {
  let last = "";
  return received.map(({ id, event: type, data }) => {
    last = id || last;
    return { id: last, type, data };
  });
}

/** The snapshot of the newest turn, without the `reset` that has a client read again. */
async function readSnapshot(driver: SessionDriver): Promise<StateEvent[]> {
  const reader = await openSubscriber(driver.session(), null, null, null, false, true);
  await reader.catchUp();
  reader.leave();
  return toStateEvents(reader.events).filter(({ type }) => type !== "reset");
}

/** Plays a turn. `look` is called in the middle of it; without it, the turn is short. */
async function playTurn(
  driver: SessionDriver,
  random: RandomSource,
  look: (() => Promise<void>) | null,
): Promise<void> {
  const { turn } = (await driver.state()).chat;
  // A message that waited has started the turn by itself.
  const isStarted = turn?.status === "pending";
  const turnId = isStarted ? turn.id : await driver.startTurn(`Turn after ${turn?.number ?? 0}.`);
  const link = await driver.link(turnId);
  let seq = 0;
  let index = 0;
  const say = (event: TurnEvent) => link.tell(++seq, event);
  const ending = random.pick<TurnOutcome>([
    { status: "completed" },
    { status: "completed" },
    { status: "awaiting_response" },
    { status: "failed", error: "It failed.", errorCode: null },
  ]);

  async function write(): Promise<void> {
    const place = index++;
    await say(textBlock(place, random.oneIn(2) ? "" : "Text: "));
    for (let left = 20 + random.below(120); left > 0; left--) {
      const delta = random.pick(["Grüße ", "😀", "a longer piece of text, ", "\n\n"]);
      link.send(++seq, { type: "text", index: place, delta });
    }
    await link.untilAcked(seq);
  }

  async function runTool(): Promise<void> {
    const place = index++;
    await say(toolBlock(place, "running"));
    let printed = "";
    for (let left = random.below(4); left > 0; left--) {
      const piece = `line ${printed.length}\n`;
      link.print(place, printed.length, piece);
      printed += piece;
    }
    await say(toolBlock(place, random.pick(["completed", "failed", "cancelled"]), printed));
  }

  async function plan(): Promise<void> {
    const place = index++;
    for (const status of ["pending", "in_progress", "completed"] as const) {
      await say({ type: "block", index: place, block: { type: "plan", items: [{ title: "Look", status }] } });
      if (status !== "completed") await write();
    }
  }

  /** Has a message wait. Returns its id; while many wait, the id of the first of them. */
  async function wait(): Promise<string> {
    const { upNext } = (await driver.state()).chat;
    const [first] = upNext;
    if (first && upNext.length >= mostWaiting) return first.id;
    const sent = await driver.send(`Waits after ${index}.`, { runningTurnId: turnId });
    if (isRefusal(sent) || sent.delivery !== "queued") throw new Error(JSON.stringify(sent));
    return sent.queuedMessageId;
  }

  async function steer(outcome: "taken" | "returned"): Promise<void> {
    const known = link.commands.length;
    const steering = driver.steer(await wait());
    await link.received("steer", known);
    const command = link.commands.slice(known).find(({ type }) => type === "steer");
    if (command?.type === "steer") await say({ type: "steer", steerId: command.steerId, outcome });
    await steering;
  }

  await say(started);
  for (let left = look ? 6 + random.below(20) : 0; left > 0; left--) {
    const kind = random.pick(["write", "write", "tool", "plan", "taken", "wait"]);
    if (kind === "write") await write();
    else if (kind === "tool") await runTool();
    else if (kind === "plan") await plan();
    else if (kind === "taken") await steer(kind);
    else await wait();
  }
  await look?.();
  // The service takes its time with a message that comes back, so there are few.
  if (look && random.oneIn(3)) await steer("returned");
  await write();
  if (ending.status === "awaiting_response") {
    const options = ["By time", "By line"].map((title, at) => ({ title, description: "", isRecommended: at === 0 }));
    const questions = [{ topic: "Order", question: "Which order?", options }];
    await say({ type: "block", index, block: { type: "clarification", clarificationData: { questions } } });
  }
  await say({ type: "ended", outcome: ending });
  // A turn that failed pauses the queue.
  await driver.resume();
}
