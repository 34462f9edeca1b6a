// Rows of a session object that earlier code wrote: a migration brings them to their present shape.
import { abortAllDurableObjects } from "cloudflare:test";
import { expect, test } from "vitest";
import pendingPullRequest from "../../../migrations/session/0010_pending-pull-request.sql";
import filings from "../../../migrations/session/0014_filings.sql";
import { beginSession, type SessionDriver } from "../support/session-driver.ts";

/** Runs one migration on what is stored now, and opens the object again. */
async function migrate(driver: SessionDriver, sql: string) {
  for (const statement of sql.split("--> statement-breakpoint")) await driver.sql(statement);
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
  await migrate(driver, pendingPullRequest);
  expect((await driver.state()).session.openPr).toEqual({ ...task, pending: wish });
});

test("a session of an earlier version has filed none, and was not filed", async () => {
  const driver = await beginSession(null, { filedDepth: 2 });
  await driver.settled();
  const { session } = await driver.state();
  await driver.sql("DROP TABLE filings");
  await driver.sql("ALTER TABLE session DROP COLUMN filed_depth");
  await migrate(driver, filings);
  expect((await driver.state()).session).toEqual({ ...session, filedDepth: 0 });
  expect(await driver.sql("SELECT * FROM filings")).toEqual([]);
});
