// A turn that is being stopped: nothing is sent in its name, and the stop reaches its sandbox.
import { expect, it } from "vitest";
import { beginSession, by, completed, type SessionDriver, started } from "../support/session-driver.ts";

/** A session whose turn runs. */
async function atWork() {
  const session = await beginSession();
  const turnId = await session.startTurn("go");
  const link = await session.link(turnId);
  await link.tell(1, started);
  return { session, turnId, link };
}
const sendAfter = (session: SessionDriver, runningTurnId: string) => session.send("Also this.", { runningTurnId });
const refused = { code: "JOB_STOPPED" };

it("is stopped by a new link, if an older one lost the stop", async () => {
  const { session, turnId } = await atWork();
  const stopping = session.session().cancel(turnId, by);
  const again = await session.link(turnId);
  await again.received("stop");
  await again.tell(2, { type: "ended", outcome: { status: "cancelled" } });
  expect(await stopping).toEqual({ settled: true });
});

it("is refused from the stop request on, each time, and nothing is queued", async () => {
  const { session, turnId } = await atWork();
  const stopping = session.session().cancel(turnId, by);
  const sends = await Promise.all([sendAfter(session, turnId), sendAfter(session, turnId)]);
  expect(sends).toMatchObject([refused, refused]);
  expect((await session.state()).chat).toMatchObject({ upNext: [], turn: { id: turnId } });
  await stopping;
  expect(await sendAfter(session, turnId)).toMatchObject(refused);
  expect(await session.send("Then this.")).toMatchObject({ delivery: expect.stringMatching(/job|queued/) });
});

it("is delivered if the turn ended by itself", async () => {
  const { session, turnId, link } = await atWork();
  await link.tell(2, completed);
  expect(await sendAfter(session, turnId)).toMatchObject({ delivery: "job" });
});
