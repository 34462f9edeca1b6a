// The calls that the objects of all turn owners share, as other objects make them.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

const claim = { turnId: "none", generation: 1 };
const member = { payer: { type: "member", userId: "usr_1" }, provider: "anthropic" } as const;
const newId = () => crypto.randomUUID();

test.each([
  ["session", () => env.SESSION.getByName(newId())],
  ["project", () => env.PROJECT.getByName(newId())],
  ["cron run", () => env.CRON_RUN.getByName(newId())],
])("a %s refuses a model call of an unknown turn, and does not show its context", async (_, object) => {
  const call = await object().startModelCall(claim, member);
  expect(call).toMatchObject({ type: "refused" });
  await expect(async () => await Reflect.get(object(), "context")).rejects.toThrow(/"context"/);
});

test.each([
  ["project", () => env.PROJECT.getByName(newId())],
  ["cron run", () => env.CRON_RUN.getByName(newId())],
])("a %s has no tool of the service, and ignores events of the code host", async (_, object) => {
  const ran = await object().runTool("none", { tool: "ship", sha: "0000000" });
  expect(ran).toMatchObject({ code: "FORBIDDEN" });
  expect(await object().handleEvent({ type: "pushed", sha: "0000000" } as never)).toBeNull();
});
