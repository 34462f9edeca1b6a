// The changes of a checkout are saved after each save of the work, and can be read while the
// sandbox sleeps.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ProjectSettings } from "../../../src/project/rules/settings.ts";
import { SandboxUnreachable } from "../../../src/sandbox/program/driver.ts";
import { captureLog } from "../support/captured-log.ts";
import {
  freshSandbox,
  host,
  idle,
  key,
  owner,
  sandbox,
  saveBehindTurn,
  savedWork,
  settled,
  until,
} from "../support/sandbox-driver.ts";

beforeEach(freshSandbox);
afterEach(() => put({ setup: [], services: [], env: {} }));

const base = owner.baseBranch;
const file = {
  path: "a",
  previousPath: null,
  status: "modified",
  additions: 1,
  deletions: 0,
  isBinary: false,
  committed: true,
};
const commit = { sha: "c".repeat(40), message: "m", author: "a", committedAt: "2026-01-01T00:00:00.000Z" };
const patch = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n+b\n";

async function put(settings: ProjectSettings): Promise<void> {
  const statement = "UPDATE projects SET settings = ?2 WHERE id = ?1";
  await env.DB.prepare(statement).bind(owner.projectId, JSON.stringify(settings)).run();
}

/** The next reads of the checkout find changes. */
function change(found = patch): void {
  host.answerNext("GET /git/changes", () => Response.json({ files: [file] }));
  host.answerNext("GET /git/log", () => Response.json({ commits: [commit] }));
  host.answerNext("GET /git/patch", () => Response.json({ patch: found, isCut: false }));
}

async function turnEnds(): Promise<void> {
  change();
  await saveBehindTurn();
  await settled();
}

async function sleeps(): Promise<void> {
  await idle();
  await until(async () => (await sandbox().status()).state).toBe("paused");
}

test("they outlive the saved work, which nobody can wake once its session has ended", async () => {
  await sandbox().wakeForPreview(owner);
  await turnEnds();
  await sleeps();
  await sandbox().deleteWork();
  await settled();
  expect(await savedWork()).toEqual([]);
  expect(await sandbox().readCheckout({ type: "changes", base, kept: true })).toMatchObject({
    changes: { files: [file] },
  });
});

test("they are returned to a request for saved changes, and to no other", async () => {
  await sandbox().wakeForPreview(owner);
  const before = Date.now();
  await turnEnds();
  await sleeps();
  const read = (type: "changes" | "log") => sandbox().readCheckout({ type, base, kept: true });
  const asOf = expect.toSatisfy((at: number) => at >= before && at <= Date.now());
  expect(await read("changes")).toEqual({ changes: { files: [file] }, asOf });
  expect(await read("log")).toEqual({ log: { commits: [commit] }, asOf });
  const query = { type: "patch", base, path: "a" } as const;
  expect(await sandbox().readCheckout({ ...query, kept: true })).toEqual({ patch: { patch, isCut: false }, asOf });
  for (const unasked of [query, { type: "changes", base } as const, { type: "log", base } as const])
    expect(await sandbox().readCheckout(unasked)).toEqual({});
  // It was not compared with another base.
  expect(await sandbox().readCheckout({ type: "changes", base: "release", kept: true })).toEqual({});
});

test("they contain no value of a variable, neither of the project nor of a service", async () => {
  const [value, ofService] = ["value-of-project", "value-of-service"];
  const services = [{ name: "web", command: "run", env: { B: ofService }, endpoints: [] }];
  await put({ setup: [], services, env: { A: value } });
  await sandbox().wakeForPreview(owner);
  change(patch.replace("+b", `+${value} ${ofService}`));
  await saveBehindTurn();
  await settled();
  await sleeps();
  expect(await sandbox().readCheckout({ type: "patch", base, path: "a", kept: true })).toMatchObject({
    patch: { patch: patch.replace("+b", "+[redacted] [redacted]") },
  });
});

test("they are saved by a pause that comes before the save of a turn, and once for each save", async () => {
  const work = () => new Response("work");
  const unchanged = () => new Response(null, { status: 304 });
  await sandbox().wakeForPreview(owner);
  change();
  host.answerNext("GET /archive", work, unchanged);
  await sandbox().stopGracefully();
  await until(async () => (await sandbox().status()).state).toBe("paused");
  expect(await sandbox().readCheckout({ type: "changes", base, kept: true })).toMatchObject({
    changes: { files: [file] },
  });
  expect(host.count("GET /git/changes")).toBe(1);
  await sandbox().wakeForPreview(owner);
  host.answerNext("GET /archive", work, unchanged, unchanged);
  await turnEnds();
  await sleeps();
  expect(host.count("GET /git/changes")).toBe(2);
});

test("while a pause saves the work, they are read from the sandbox", async () => {
  await sandbox().wakeForPreview(owner);
  const goOn = Promise.withResolvers<void>();
  host.answerNext("GET /archive", () => goOn.promise.then(() => new Response("work")));
  await sandbox().stopGracefully();
  await until(async () => host.count("GET /archive")).toBe(1);
  change();
  expect(await sandbox().readCheckout({ type: "changes", base, kept: true })).toEqual({ changes: { files: [file] } });
  expect(await sandbox().readCheckout({ type: "changes", base })).toEqual({});
  goOn.resolve();
  await until(async () => (await sandbox().status()).state).toBe("paused");
});

test("a checkout that cannot be read does not change them, and its work is still saved", async () => {
  await sandbox().wakeForPreview(owner);
  await turnEnds();
  host.answerNext("GET /git/log", () => Response.json({ code: "GIT_REFUSED", message: "no" }, { status: 409 }));
  await saveBehindTurn();
  await settled();
  await sleeps();
  expect(await sandbox().readCheckout({ type: "changes", base, kept: true })).toMatchObject({
    changes: { files: [file] },
  });
});

test("a sandbox that ends after its save keeps the saved changes, and is no error; a program that fails is one", async () => {
  await sandbox().wakeForPreview(owner);
  await turnEnds();
  const log = captureLog();
  const errors = () => log.filter(({ event }) => event === "saved_changes.not_updated");
  host.answerNext("GET /git/log", () => Promise.reject(new SandboxUnreachable(false)));
  await saveBehindTurn();
  await settled();
  expect(errors()).toHaveLength(1);
  log.length = 0;
  host.answerNext("GET /git/log", () => {
    host.lose(key);
    return Promise.reject(new SandboxUnreachable(true));
  });
  await saveBehindTurn();
  await settled();
  expect(errors()).toEqual([]);
  vi.restoreAllMocks();
  expect(await sandbox().readCheckout({ type: "changes", base, kept: true })).toMatchObject({
    changes: { files: [file] },
  });
});

test("they are deleted with the sandbox", async () => {
  await sandbox().wakeForPreview(owner);
  await turnEnds();
  await sandbox().destroy();
  await settled();
  expect(await sandbox().readCheckout({ type: "changes", base, kept: true })).toEqual({});
});

test("a secret of the project in a file is not saved", async () => {
  const secret = "canary-4f1d9c7be2";
  const settings = (value: string) =>
    env.DB.prepare("UPDATE projects SET settings = json_set(settings, '$.env', json(?2)) WHERE id = ?1")
      .bind(owner.projectId, value)
      .run();
  await settings(JSON.stringify({ CANARY: secret }));
  await sandbox().wakeForPreview(owner);
  host.answerNext("GET /git/changes", () => Response.json({ files: [file] }));
  host.answerNext("GET /git/log", () => Response.json({ commits: [{ ...commit, message: `with ${secret}` }] }));
  host.answerNext("GET /git/patch", () => Response.json({ patch: `${patch}+${secret}\n`, isCut: false }));
  await saveBehindTurn();
  await settled();
  const kept = await runInDurableObject(sandbox(), (_, { storage }) =>
    JSON.stringify(storage.sql.exec("SELECT changes FROM kept_changes").one()),
  );
  await settings("{}");
  expect(kept).toContain("+[redacted]");
  expect(kept).toContain("with [redacted]");
  expect(kept).not.toContain(secret);
});
