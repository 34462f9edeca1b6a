// Rows of a session object that earlier code wrote: the object migrates them when it is next opened.
import { abortAllDurableObjects } from "cloudflare:test";
import { expect, test } from "vitest";
import journal from "../../../migrations/session/meta/_journal.json";
import { beginSession, type SessionDriver } from "../support/session-driver.ts";

/** Opens the object again as one that has not run a migration, nor any after it. */
async function reopenBefore(driver: SessionDriver, tag: string) {
  const when = journal.entries.find((entry) => entry.tag === tag)?.when ?? 0;
  await driver.sql("DELETE FROM __drizzle_migrations WHERE created_at >= ?", when);
  await abortAllDurableObjects();
}

const task = { turnId: "turn-1", isDraft: false, evidence: [], stage: "asking", reason: null };
const pending = {
  title: "Faster board",
  body: "Why.",
  evidence: ["https://example.com/a"],
  isDraft: false,
  base: null,
  askedAt: 5,
  logins: ["ada"],
  unclear: [{ name: "bo", isShared: true, logins: ["bob", "bobby"] }],
  moved: null,
};

test.each([
  ["that waits for an answer", pending],
  ["that waits for nothing", null],
])("a pull request %s is still known", async (_, wish) => {
  const driver = await beginSession();
  await driver.settled();
  await driver.sql("UPDATE session SET open_pr = ?", JSON.stringify({ ...task, wish }));
  await reopenBefore(driver, "0010_pending-pull-request");
  expect((await driver.state()).session.openPr).toEqual({ ...task, pending: wish });
});
