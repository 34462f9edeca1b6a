// A repository that git itself cannot read, as an agent may leave it: the sandbox wakes with it
// just as it was, services start and turns run, so that the agent can be asked to mend it.
import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { treeLines } from "../../support/tree-hash.ts";
import { type Program, startProgram } from "../support/program.ts";
import { saveWork, wake } from "../support/saved-work.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let fresh: Program;
let project: string;
beforeEach(async () => {
  [world, fresh] = await Promise.all([startWorld(), startProgram()]);
  project = join(world.program.root, "project");
});
afterEach(async () => {
  await Promise.all([world?.end(), fresh?.remove()]);
});

const git = (...args: string[]) => execFileSync("git", args, { cwd: project });
const inGit = (name: string) => join(project, ".git", name);
const services = { services: [], env: {}, restart: false };
const author = { name: "Ada", email: "ada@example.test" };

/** What git says in a sandbox: of its state, its changes, a commit and a push. */
async function gitAnswers(program: Program): Promise<unknown[]> {
  return [
    await program.call("GET", "/git/state?base=main"),
    await program.call("GET", "/git/changes?base=main"),
    await program.call("POST", "/git/commit", { message: "by hand", author }),
    await program.call("POST", "/git/push", { token: world.remote.token }),
  ];
}

test.each<[string, () => void]>([
  [
    "on a branch without a commit",
    () => {
      git("checkout", "-q", "--orphan", "gh-pages");
      git("rm", "-rfq", "--cached", ".");
    },
  ],
  ["whose branch has lost its commit", () => writeFileSync(inGit("refs/heads/svc/work"), "")],
  ["whose configuration is no configuration", () => appendFileSync(inGit("config"), "[broken\n")],
  [
    "of an extension that git does not know",
    () => {
      git("config", "core.repositoryformatversion", "1");
      git("config", "extensions.foo", "true");
    },
  ],
  [
    "whose merge by hand cannot be given up",
    () => {
      const byHand = { base: "main", askedIn: "turn-1", rebases: false, conflicts: [], byHand: { uncommitted: [] } };
      writeFileSync(join(world.program.root, "state", "branch-sync.json"), JSON.stringify(byHand));
      writeFileSync(inGit("MERGE_HEAD"), git("rev-parse", "HEAD"));
      writeFileSync(inGit("refs/heads/svc/work"), "");
    },
  ],
])("a repository %s wakes as it was", async (_, breakIt) => {
  breakIt();
  writeFileSync(join(project, "page.html"), "important\n");
  const before = treeLines(world.program.root);
  await wake(fresh, await saveWork(world.program), null);
  const told = { status: 200, body: { head: null, paysABase: false } };
  expect(await fresh.call("PUT", "/checkout", world.checkout)).toEqual(told);
  expect(treeLines(fresh.root)).toEqual(before);
  expect((await fresh.call("PUT", "/services", services)).status).toBe(204);
  expect(await gitAnswers(fresh)).toEqual(await gitAnswers(world.program));
  const elsewhere = { ...world.checkout, remoteUrl: `${world.checkout.remoteUrl}/` };
  expect(await fresh.call("PUT", "/checkout", elsewhere)).toEqual(told);

  const { start, service } = await world.newTurn([{ bash: "rm -rf .git && git init -q" }, { say: "Mended." }]);
  expect((await fresh.call("POST", "/turns", start)).status).toBe(202);
  expect(await service.ended()).toEqual({ status: "completed" });
  expect((await fresh.call("PUT", "/checkout", world.checkout)).status).toBe(200);
});

test("a project without a repository wakes with its files, even if the remote does not respond", async () => {
  rmSync(join(project, ".git"), { recursive: true });
  writeFileSync(join(project, "page.html"), "important\n");
  await wake(fresh, await saveWork(world.program), null);
  expect((await fresh.call("GET", "/status")).body).toMatchObject({ checkedOut: true });
  const refused = await fresh.call("PUT", "/checkout", { ...world.checkout, token: "of-nobody-at-all" });
  expect(refused).toMatchObject({
    status: 200,
    body: { head: null, paysABase: false, unrepaired: expect.stringContaining("git gateway did not let") },
  });
  expect((await fresh.call("PUT", "/services", services)).status).toBe(204);
  const repaired = await fresh.call("PUT", "/checkout", world.checkout);
  expect(repaired.body).toEqual({ head: expect.stringMatching(/^[0-9a-f]{40}$/), paysABase: false });
  expect(readFileSync(join(fresh.root, "project/page.html"), "utf8")).toBe("important\n");
});
