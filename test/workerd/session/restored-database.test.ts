// A database that was restored to an earlier moment: sessions that were deleted since are rows
// without a session.
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { deleteSession } from "../../../src/session/delete.ts";
import { beginSession, by } from "../support/session-driver.ts";

test("a row whose session was deleted can be deleted again", async () => {
  const { id } = await beginSession();
  const row = () => env.DB.prepare("SELECT * FROM sessions WHERE id = ?1").bind(id).first();
  await expect.poll(row).not.toBeNull();
  const values = Object.values((await row()) ?? {});
  expect(await deleteSession(env, id, by)).toBeNull();
  expect(await row()).toBeNull();
  const places = values.map((_, place) => `?${place + 1}`).join(", ");
  await env.DB.prepare(`INSERT INTO sessions VALUES (${places})`)
    .bind(...values)
    .run();
  expect(await deleteSession(env, id, by)).toBeNull();
  expect(await row()).toBeNull();
});
