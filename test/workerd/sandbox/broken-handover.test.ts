// A sandbox that stops while it receives a turn, or right after it: the turn has done nothing yet,
// so it is handed over again.
import { runInDurableObject } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import type { TurnRequest } from "../../../src/sandbox/turn-request.ts";
import {
  freshSandbox,
  generation,
  holdFor,
  host,
  key,
  owner,
  sandbox,
  turnRequest,
  until,
} from "../support/sandbox-driver.ts";
import { programRefusal } from "../support/scripted-host.ts";
import { beginSession, completed, type SessionDriver, started } from "../support/session-driver.ts";

beforeEach(freshSandbox);

let driver: SessionDriver;
let request: TurnRequest;
beforeEach(async () => {
  driver = await beginSession();
  request = {
    ...turnRequest,
    owner: { type: "session", id: driver.id },
    sandboxOwner: { ...owner, id: driver.id },
    turnId: await driver.startTurn(turnRequest.prompt),
  };
});

const brokeOff = () => new Response(null, { status: 502, headers: { "x-sandbox-broken": "1" } });
/** The program dies during the call. */
function dies(): Response {
  host.lose(key);
  return brokeOff();
}
const handovers = () => host.count("POST /turns");
const listStarts = async () =>
  (await driver.sandbox.asked()).filter((asked) => asked === `start ${request.turnId}`).length;

test("a sandbox that dies at the handover is replaced, and the next one gets the turn", async () => {
  await sandbox().wakeForPreview(request.sandboxOwner);
  host.answerNext("POST /turns", dies);
  expect(await sandbox().startTurn(request)).toMatchObject({ taken: true });
  expect([await generation(), handovers()]).toEqual([2, 3]);
});

test("a sandbox whose connection broke gets the same turn again", async () => {
  await sandbox().wakeForPreview(request.sandboxOwner);
  host.answerNext("POST /turns", brokeOff);
  expect(await sandbox().startTurn(request)).toMatchObject({ taken: true });
  expect([await generation(), handovers()]).toEqual([1, 2]);
});

test("a sandbox that dies at every handover is started twice more; then the turn fails with what to do", async () => {
  await sandbox().wakeForPreview(request.sandboxOwner);
  for (let generation = 1; generation <= 3; generation++) {
    // A later request then finds it gone.
    host.answerNext("POST /turns", dies, () => new Response(null, { headers: { "x-sandbox-missing": "1" } }));
  }
  const error = expect.stringMatching(/^The sandbox stopped each time .* Try again/);
  expect(await sandbox().startTurn(request)).toEqual({ taken: false, conversationMissing: false, error });
  expect(host.count(`start ${key}`)).toBe(3);
});

test("a sandbox that took the turn but sends no events is checked, and gets the turn again", async () => {
  await driver.sandbox.behave("takes", { sandbox: "gone" });
  await until(listStarts).toBe(2);
  const link = await driver.link(request.turnId, 2);
  await link.tell(1, started);
  await link.tell(2, completed);
  expect((await driver.state()).chat.turn).toMatchObject({ status: "completed", error: null });
});

test("a sandbox that is about to end is saved and replaced, and the next one gets the turn", async () => {
  await sandbox().wakeForPreview(request.sandboxOwner);
  await until(async () => (await sandbox().status()).state).toBe("running");
  host.answerNext("POST /turns", programRefusal("LEAVING", "This sandbox is about to end."));
  expect(await sandbox().startTurn(request)).toMatchObject({ taken: true });
  expect(await generation()).toBe(2);
  const told = ["POST /turns", "GET /archive", "PUT /archive"];
  expect(host.happened.filter((what) => told.includes(what))).toEqual([...told, "POST /turns"]);
});

test("a sandbox that is about to end is left to a turn that is running in it", async () => {
  await sandbox().wakeForPreview(request.sandboxOwner);
  await until(async () => (await sandbox().status()).state).toBe("running");
  await holdFor(driver.id, "another-turn");
  host.answerNext("POST /turns", programRefusal("LEAVING", "This sandbox is about to end."));
  await runInDurableObject(sandbox(), async (object) => {
    await expect(object.startTurn(request)).rejects.toThrow("another turn");
  });
  expect([await generation(), host.running.has(key)]).toEqual([1, true]);
});
