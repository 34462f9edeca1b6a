// HTTP triggers that are called with a Standard Webhooks signature: which signatures count, and how
// often an event does.
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const { sql } = createInside(world);
const path = `/api/projects/${world.projectId}/triggers`;

interface Called {
  id: string;
  secret: string;
  key: string;
}

async function putTriggers(...rules: Record<string, unknown>[]): Promise<Called[]> {
  const { version } = (await owner.get(path)).body.data;
  const usual = { name: "Signed", on: "http", do: { action: "file", prompt: script({ say: "Done." }) } };
  const put = await owner.put(path, { version, triggers: rules.map((rule) => ({ ...usual, ...rule })) });
  expect(put.status).toBe(200);
  return await Promise.all(put.body.data.triggers.map(({ id }: { id: string }) => createKey(id)));
}
async function createKey(id: string): Promise<Called> {
  const { status, body } = await owner.post(`${path}/${id}/key`);
  expect(status).toBe(201);
  return { id, ...body.data };
}
async function putTrigger(rule: Record<string, unknown> = {}): Promise<Called> {
  const [trigger] = await putTriggers(rule);
  if (!trigger) throw new Error("there is no trigger");
  return trigger;
}

/** The headers of a request, as any library of Standard Webhooks makes them. */
function sign(secret: string, body: string, { id = crypto.randomUUID() as string, at = Date.now() } = {}) {
  const signature = new Webhook(secret).sign(id, new Date(at), body);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at / 1_000)),
    "webhook-signature": signature,
  };
}
async function send({ id }: Pick<Called, "id">, headers: Record<string, string>, body: BodyInit) {
  const answer = await fetch(`${world.baseUrl}/api/triggers/${id}`, { method: "POST", headers, body });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}
const listRuns = async ({ id }: Pick<Called, "id">) =>
  (await owner.get(`/api/projects/${world.projectId}/trigger-runs?triggerId=${id}`)).body.data;

test("what was not signed with the newest secret of the trigger, now, is refused alike and starts nothing", async () => {
  const [made, sibling] = await putTriggers({}, {});
  if (!made || !sibling) throw new Error("a trigger is missing");
  const trigger = await createKey(made.id);
  const body = '{"incident":"INC-1"}';
  const signed = sign(trigger.secret, body);
  const ago = 6 * 60_000;
  const [, digits = ""] = signed["webhook-signature"].split(",");
  const otherDigits = `v1,${digits.startsWith("A") ? "B" : "A"}${digits.slice(1)}`;
  const refused: [string, Pick<Called, "id">, Record<string, string>, BodyInit][] = [
    ["a changed byte", trigger, signed, '{"incident":"INC-2"}'],
    ["a byte more", trigger, signed, `${body} `],
    ["a byte order mark in front", trigger, signed, `\ufeff${body}`],
    ["no body", trigger, signed, ""],
    ["another signature", trigger, { ...signed, "webhook-signature": otherDigits }, body],
    ["another id", trigger, { ...signed, "webhook-id": "another" }, body],
    ["another time", trigger, { ...signed, "webhook-timestamp": String(Math.floor(Date.now() / 1_000) - 60) }, body],
    ["an old time", trigger, sign(trigger.secret, body, { at: Date.now() - ago }), body],
    ["a time to come", trigger, sign(trigger.secret, body, { at: Date.now() + ago }), body],
    ["the secret that was replaced", trigger, sign(made.secret, body), body],
    ["the secret of another trigger", trigger, sign(sibling.secret, body), body],
    ["a signature for another trigger", sibling, signed, body],
    ["its key as the secret", trigger, sign(`whsec_${btoa(trigger.key)}`, body), body],
    ["a trigger that is unknown", { id: "019a1c60-5b7c-7d8e-9f0a-1b2c3d4e5f6a" }, signed, body],
    ["no signature", trigger, {}, body],
  ];
  const answers = new Set<string>();
  for (const [what, called, headers, sent] of refused) {
    const answer = await send(called, headers, sent);
    expect([what, answer.status]).toEqual([what, 401]);
    answers.add(JSON.stringify([answer.body.code, answer.body.message]));
  }
  expect(answers.size).toBe(1);
  expect(await listRuns(trigger)).toEqual([]);
  expect(await listRuns(sibling)).toEqual([]);
  expect((await send(trigger, signed, body)).body.data.run).toMatchObject({ outcome: "filed" });
});

test.each([
  ["a body that is no JSON", "{", 400],
  ["a body that is no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), 401],
  ["a body of more than 256 KiB", JSON.stringify("x".repeat(256 * 1_024)), 413],
])("%s starts nothing", async (_, body, status) => {
  const trigger = await putTrigger();
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  expect((await send(trigger, sign(trigger.secret, text), body)).status).toBe(status);
  expect(await listRuns(trigger)).toEqual([]);
});

test("an event that is sent again is one run, whatever is sent at the same time", async () => {
  const trigger = await putTrigger();
  const signed = sign(trigger.secret, "{}");
  const answers = await Promise.all(Array.from({ length: 5 }, () => send(trigger, signed, "{}")));
  const later = await send(trigger, sign(trigger.secret, "{}", { id: signed["webhook-id"] }), "{}");
  const runs = [...answers, later].map(({ body }) => body.data.run);
  expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
  expect(runs.filter(({ outcome }) => outcome === "filed")).toHaveLength(1);
  expect(runs.filter(({ reason }) => reason === "duplicate")).toHaveLength(5);
  expect(await listRuns(trigger)).toHaveLength(1);
  // Another event is another run, and so is each call with the key.
  expect((await send(trigger, sign(trigger.secret, "{}"), "{}")).body.data.run.outcome).toBe("filed");
  const withKey = { authorization: `Bearer ${trigger.key}` };
  for (let times = 0; times < 2; times++)
    expect((await send(trigger, withKey, "{}")).body.data.run.outcome).toBe("filed");
  expect(await listRuns(trigger)).toHaveLength(4);
});

test("the rule's own cause counts before the id of a signed request", async () => {
  const trigger = await putTrigger({ when: { cause: "event" } });
  const body = '{"event":"e1"}';
  expect((await send(trigger, sign(trigger.secret, body), body)).body.data.run.outcome).toBe("filed");
  expect((await send(trigger, sign(trigger.secret, body), body)).body.data.run.reason).toBe("duplicate");
});

test("one of several signatures is enough, as during a change of the secret", async () => {
  const trigger = await putTrigger();
  const [signed, other] = [sign(trigger.secret, "{}"), sign(`whsec_${btoa("x".repeat(32))}`, "{}")];
  const both = `${other["webhook-signature"]} v1a,asymmetric ${signed["webhook-signature"]}`;
  expect((await send(trigger, { ...signed, "webhook-signature": both }, "{}")).status).toBe(202);
});

test("a secret is stored sealed, and ends with its trigger", async () => {
  const trigger = await putTrigger();
  const stored = () => sql("SELECT sealed FROM trigger_secrets WHERE trigger_id = ?1", trigger.id);
  const rows = (await stored()) as { sealed: string }[];
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(trigger.secret.slice(6));
  const { version, triggers } = (await owner.get(path)).body.data;
  expect((await owner.put(path, { version, triggers: [{ ...triggers[0], enabled: false }] })).status).toBe(200);
  expect((await send(trigger, sign(trigger.secret, "{}"), "{}")).status).toBe(403);
  expect((await owner.put(path, { version: version + 1, triggers: [] })).status).toBe(200);
  expect(await stored()).toEqual([]);
  expect((await send(trigger, sign(trigger.secret, "{}"), "{}")).status).toBe(401);
});
