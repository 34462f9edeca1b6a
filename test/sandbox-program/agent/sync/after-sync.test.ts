// What follows a sync in the sandbox: a push if requested, setup, and the services; each reports
// its result.
import { afterEach, beforeEach, expect, test } from "vitest";
import { runAfterSync } from "../../../../sandbox-program/agent/sync/after-sync.ts";
import { syncBranch } from "../../../../sandbox-program/git/branch/sync.ts";
import type { Resolution } from "../../../../src/checkout/rules/sync.ts";
import type { ServicesPlan } from "../../../../src/sandbox-protocol/protocol.ts";
import { type BranchPair, startBranchPair } from "../../support/branch-pair.ts";

let pair: BranchPair;
let applied: ServicesPlan[];
beforeEach(async () => {
  applied = [];
  pair = await startBranchPair({ "setup.txt": "old\n" });
  await pair.commitHere({ "mine.txt": "mine\n" });
  await pair.publish();
});
afterEach(() => pair?.end());

const services = [{ name: "web", command: "true", endpoints: [] }];
async function follow({
  pushes = true,
  setup = ["cp setup.txt ran.log"],
  token = pair.remote.token,
  turnId = "turn-1",
  resolution = null as Resolution | null,
} = {}) {
  const wish = { base: "main", token: pair.remote.token, turnId, rebase: false, resolution };
  const outcome = await syncBranch(pair.folders, wish);
  if (outcome.status !== "synced") throw new Error(`the sync was ${outcome.status}`);
  const plan = { base: "main", pushes, setup, services, env: { NAME: "value" } };
  const apply = async (wanted: ServicesPlan) => void applied.push(wanted);
  const endpoint = { url: "http://127.0.0.1:1", token };
  const { signal } = new AbortController();
  return await runAfterSync(
    { folders: pair.folders, services: { apply }, plan, gitToken: token, endpoint, signal },
    outcome,
  );
}

test("it is pushed, setup runs on the new files, and the services restart", async () => {
  await pair.commitThere({ "setup.txt": "new\n" });
  expect(await follow()).toEqual([
    "main is merged into svc/work.",
    "It is pushed.",
    "Setup has run again.",
    "The services have been restarted.",
  ]);
  expect(pair.read("ran.log")).toBe("new\n");
  expect(applied).toEqual([{ services, env: { NAME: "value" }, restart: true }]);
  expect(await pair.remote.git("rev-parse", "svc/work")).toBe(pair.git("rev-parse", "HEAD"));
});

test("with Manual commits nothing is pushed", async () => {
  await pair.commitThere({ "setup.txt": "new\n" });
  const before = await pair.remote.git("rev-parse", "svc/work");
  expect((await follow({ pushes: false }))[1]).toContain("stays in the sandbox until somebody pushes it");
  expect(await pair.remote.git("rev-parse", "svc/work")).toBe(before);
});

test("a refused push and a failed setup are reported, and the other steps still run", async () => {
  await pair.commitThere({ "setup.txt": "new\n" });
  const [, push, setup, restart] = await follow({ token: "another", setup: ["echo broken; exit 3"] });
  expect(push).toContain("It could not be pushed:");
  expect(setup).toContain("Setup did not run through: The setup command `echo broken; exit 3` ended with exit code 3.");
  expect(restart).toBe("The services have been restarted.");
});

test("a merge without file changes has the same steps", async () => {
  await pair.commitThere({ "mine.txt": "mine\n" });
  expect(await follow()).toEqual([
    "main is merged into svc/work.",
    "It is pushed.",
    "Setup has run again.",
    "The services have been restarted.",
  ]);
  expect(applied).toHaveLength(1);
});

test("so has a conflict that is resolved with this branch's version", async () => {
  await pair.commitThere({ "mine.txt": "theirs\n" });
  await expect(follow()).rejects.toThrow("the sync was conflict");
  expect(await follow({ turnId: "turn-2", resolution: "branch" })).toContain("The services have been restarted.");
  expect(pair.read("mine.txt")).toBe("mine\n");
  await expect(follow()).rejects.toThrow("the sync was up-to-date");
  expect(applied).toHaveLength(1);
});
