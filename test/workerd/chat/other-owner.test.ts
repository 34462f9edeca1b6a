// The chat machine with an owner that is no session: turns, queue, steers, stops and live events.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { openSubscriber } from "../support/live-subscriber.ts";
import { by, completed, dial, started, textBlock } from "../support/session-driver.ts";

const open = () => {
  const id = crypto.randomUUID();
  return () => env.CHAT_OWNER.getByName(id);
};

async function startTurn(project: ReturnType<typeof open>): Promise<string> {
  const sent = await project().send("Set it up.", by);
  if (isRefusal(sent) || sent.delivery !== "job") throw new Error(JSON.stringify(sent));
  return sent.turnId;
}

async function queue(project: ReturnType<typeof open>, content: string): Promise<string> {
  const sent = await project().send(content, by);
  if (isRefusal(sent) || sent.delivery !== "queued") throw new Error(JSON.stringify(sent));
  return sent.queuedMessageId;
}

test("a turn runs to its end, and the queued message is next", async () => {
  const project = open();
  const turnId = await startTurn(project);
  await queue(project, "Then this.");
  const link = await dial(project(), turnId, 1);
  for (const [place, event] of [started, textBlock(0, "Done."), completed].entries()) await link.tell(place + 1, event);
  const { chat } = await project().state();
  expect([chat.turn?.number, chat.turn?.status, chat.upNext]).toEqual([2, "pending", []]);
});

test("its owner decides whether the queue continues, and whether a message may start a turn", async () => {
  const project = open();
  const turnId = await startTurn(project);
  await queue(project, "Then this.");
  await project().deploy(false);
  const link = await dial(project(), turnId, 1);
  await link.tell(1, started);
  await link.tell(2, completed);
  expect((await project().state()).chat).toMatchObject({ turn: { id: turnId }, upNext: [{ content: "Then this." }] });
  expect(await project().send("Now.", by)).toMatchObject({ code: "NOT_DEPLOYED" });
});

test("a steer is sent over the link, and is added to the conversation when the agent takes it", async () => {
  const project = open();
  const turnId = await startTurn(project);
  const link = await dial(project(), turnId, 1);
  await link.tell(1, started);
  const messageId = await queue(project, "Not like that.");
  const steering = project().steer(messageId, by);
  await link.received("steer");
  const steer = link.commands.find((command) => command.type === "steer");
  if (steer?.type !== "steer") throw new Error("no steer");
  expect(steer.text).toBe("Not like that.");
  await link.tell(2, { type: "steer", steerId: steer.steerId, outcome: "taken" });
  expect(await steering).toEqual({ steerId: steer.steerId });
  expect((await project().state()).chat).toMatchObject({ steers: [], upNext: [] });
});

test("a stop is sent to the sandbox, pauses the queue, and is done when the agent confirms it", async () => {
  const project = open();
  const turnId = await startTurn(project);
  const waiting = await queue(project, "Later.");
  const link = await dial(project(), turnId, 1);
  await link.tell(1, started);
  const stopping = project().cancel(turnId, by);
  await link.received("stop");
  await link.tell(2, { type: "ended", outcome: { status: "cancelled" } });
  expect(await stopping).toEqual({ settled: true });
  expect((await project().state()).chat).toMatchObject({
    turn: { status: "cancelled" },
    pause: { reason: "cancelled" },
  });
  expect(await project().updateQueue({ type: "delete", messageId: waiting, by })).toBeNull();
  expect(await project().resume()).toBeNull();
  expect((await project().state()).chat).toMatchObject({ upNext: [], pause: null });
});

test("a subscriber gets the events of the chat and of its owner", async () => {
  const project = open();
  const reader = await (await openSubscriber(project())).catchUp();
  const turnId = await startTurn(project);
  const link = await dial(project(), turnId, 1);
  for (const [place, event] of [started, textBlock(0, "Done."), completed].entries()) await link.tell(place + 1, event);
  await reader.received("end");
  expect(reader.names()).toEqual([
    "project",
    "queue",
    "block",
    "job",
    "project",
    "queue",
    "job",
    "block",
    "job",
    "end",
  ]);
  const whole = await (await openSubscriber(project(), turnId)).catchUp();
  expect(whole.names()).toEqual(["block", "job", "job", "block", "job", "end"]);
});
