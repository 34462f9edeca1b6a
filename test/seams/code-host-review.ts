// The contract of code hosts for reviewers and checks.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CodeHost } from "../../src/code-host/code-host.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import type { OpenedCodeHost } from "./code-host.ts";

/** Tests the contract on one code host. */
export function reviewContract(name: string, open: () => Promise<OpenedCodeHost>): void {
  describe(`the reviews of ${name}`, () => {
    let opened: OpenedCodeHost;
    let branch: string;
    beforeAll(async () => {
      opened = await open();
      branch = await opened.makeBranch(0, 1);
    });
    afterAll(() => opened.close());

    async function candidates(): Promise<string[]> {
      const found = await opened.host.listReviewerCandidates(opened.repository);
      if (isRefusal(found)) throw new Error(found.message);
      return found.map(({ login }) => login);
    }

    test("the named people are the only requested reviewers", async () => {
      const [one = "", two = "", three = ""] = await candidates();
      const number = await opened.openPullRequest(false);
      for (const wanted of [[one, two], [two, three], [three.toUpperCase()], [], [one]]) {
        expect(await opened.host.setReviewers(opened.repository, number, wanted)).toBeNull();
        const asked = (await opened.readReviewers(number)).map((login) => login.toLowerCase());
        expect(asked.sort()).toEqual(wanted.map((login) => login.toLowerCase()).sort());
      }
    });

    test("people without access are not requested, and requested ones stay", async () => {
      const [one = "", two = ""] = await candidates();
      const number = await opened.openPullRequest(false);
      await opened.host.setReviewers(opened.repository, number, [one]);
      const refusal = await opened.host.setReviewers(opened.repository, number, [two, "nobody-of-here"]);
      expect(refusal).toMatchObject({ code: "BAD_REQUEST" });
      expect(await opened.readReviewers(number)).toEqual([one]);
    });

    test("a commit without checks has none; running ones are pending; the newest of each name counts", async () => {
      const { host, repository } = opened;
      const sha = await opened.readCommit(branch);
      const reads = async (checks: object) => {
        for (const ref of [branch, sha]) expect(await host.readChecks(repository, ref)).toEqual(checks);
      };
      await reads({ state: "none", failed: [], pending: [] });
      await opened.reportRun(sha, "build", null);
      await reads({ state: "pending", failed: [], pending: ["build"] });
      await opened.reportRun(sha, "build", "success");
      await reads({ state: "passed", failed: [], pending: [] });
      await opened.setStatus(sha, "lint", "pending");
      await reads({ state: "pending", failed: [], pending: ["lint"] });
      await opened.setStatus(sha, "lint", "error");
      await opened.reportRun(sha, "tests", null);
      await reads({ state: "failed", failed: ["lint"], pending: ["tests"] });
      await opened.setStatus(sha, "lint", "success");
      await opened.reportRun(sha, "tests", "timed_out");
      await reads({ state: "failed", failed: ["tests"], pending: [] });
      await opened.reportRun(sha, "tests", "skipped");
      await reads({ state: "passed", failed: [], pending: [] });
    });

    test("failed checks are listed with what they reported", async () => {
      const { host, repository } = opened;
      const sha = await opened.readCommit(await opened.makeBranch(0, 1));
      expect(await host.listFailedChecks(repository, sha)).toEqual([]);
      const annotations = [{ path: "board.js", start_line: 3, end_line: 3, message: "Not sorted." }];
      await opened.reportRun(sha, "build", "success", { title: "Built", summary: "", annotations: [] });
      await opened.reportRun(sha, "tests", "timed_out", { title: "1 failed", summary: "Of 2.", annotations });
      await opened.setStatus(sha, "lint", "error");
      expect(await host.listFailedChecks(repository, sha)).toEqual([
        { name: "tests", conclusion: "timed_out", url: null, text: "1 failed\nOf 2.\nboard.js:3 Not sorted." },
        { name: "lint", conclusion: "error", url: null, text: "It reported no text." },
      ]);
    });

    test("the comments of a review are listed with their lines, and without those on no line", async () => {
      const { host, repository } = opened;
      const [one = "", two = ""] = await candidates();
      const number = await opened.openPullRequest(false);
      const lines = [{ path: "board.js", body: "Of another review.", line: 1, side: "RIGHT" }];
      await opened.askForChanges(number, two, lines);
      const reviewId = await opened.askForChanges(number, one, [
        { path: "board.js", body: "Why?", line: 4, side: "RIGHT" },
        { path: "board.js", body: "Was it?", start_line: 1, line: 2, side: "LEFT" },
        { path: "board.js", body: "All of it." },
      ]);
      await opened.askForChanges(number, two, lines);
      expect(await host.listReviewComments(repository, number, reviewId)).toEqual([
        { path: "board.js", side: "new", startLine: 4, endLine: 4, body: "Why?" },
        { path: "board.js", side: "old", startLine: 1, endLine: 2, body: "Was it?" },
      ]);
    });

    test("all of many checks count", async () => {
      const sha = await opened.readCommit("main");
      for (let each = 0; each < 120; each++)
        await opened.reportRun(sha, `run ${each}`, each < 119 ? "success" : "failure");
      expect(await opened.host.readChecks(opened.repository, "main")).toMatchObject({ failed: ["run 119"] });
    });

    test("a merge requires the requested commit", async () => {
      const { host, repository } = opened;
      const wish = { title: "Do it", body: "", branch, base: "main", isDraft: false };
      const made = await host.openPullRequest(repository, wish);
      if (isRefusal(made)) throw new Error(made.message);
      expect(made.sha).toBe(await opened.readCommit(branch));
      const older = await opened.readCommit("main");
      expect(await host.mergePullRequest(repository, made.number, older)).toMatchObject({ code: "BAD_REQUEST" });
      expect(await host.readPullRequest(repository, made.number)).toMatchObject({ state: "open" });
      expect(await host.mergePullRequest(repository, made.number, made.sha)).toBeNull();
      expect(await host.readPullRequest(repository, made.number)).toMatchObject({ state: "merged" });
    });

    test("a pull request is read with its checks and reviewers", async () => {
      const { host, repository } = opened;
      const fork = await opened.makeBranch(0, 1);
      const wish = { title: "Review it", body: "", branch: fork, base: "main", isDraft: true };
      const made = await host.openPullRequest(repository, wish);
      if (isRefusal(made)) throw new Error(made.message);
      const [one = "", two = ""] = await candidates();
      const bare = { ...made, title: "Review it", isMergeable: true, checks: [], reviewers: [] };
      expect(await host.readReview(repository, made.number)).toEqual(bare);
      await host.setReviewers(repository, made.number, [one, two]);
      await opened.approve(made.number, two);
      await opened.reportRun(made.sha, "build", null);
      await opened.setStatus(made.sha, "lint", "failure");
      expect(await host.readReview(repository, made.number)).toEqual({
        ...{ ...bare, changedAt: expect.any(Number) },
        checks: [
          {
            ...{ name: "build", status: "queued", conclusion: null, url: null },
            ...{ startedAt: expect.any(Number), completedAt: null },
          },
          {
            ...{ name: "lint", status: "completed", conclusion: "failure", url: null },
            ...{ startedAt: expect.any(Number), completedAt: expect.any(Number) },
          },
        ],
        reviewers: [
          { login: one, state: "requested" },
          { login: two, state: "approved" },
        ],
      });
    });

    test("all branches are listed", async () => {
      expect(await opened.host.listBranches(opened.repository)).toEqual(expect.arrayContaining(["main", branch]));
    });

    const calls = (host: CodeHost, repository: string) => [
      host.readReview(repository, 999_999),
      host.listBranches(repository),
      host.listReviewerCandidates(repository),
      host.setReviewers(repository, 999_999, []),
      host.readChecks(repository, "main"),
      host.listFailedChecks(repository, "main"),
      host.listReviewComments(repository, 999_999, 1),
    ];

    test("an unknown repository is NOT_FOUND; an unreachable host is SERVICE_UNAVAILABLE", async () => {
      for (const answer of await Promise.all(calls(opened.host, "nobody/nothing")))
        expect(answer).toMatchObject({ code: "NOT_FOUND" });
      for (const host of [opened.unreachable, opened.silent, opened.shutOut])
        for (const answer of await Promise.all(calls(host, opened.repository)))
          expect(answer).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    });

    test("an unknown commit or pull request is refused", async () => {
      const { host, repository } = opened;
      expect(isRefusal(await host.readChecks(repository, "nobody/made-it"))).toBe(true);
      expect(await host.setReviewers(repository, 999_999, ["anybody"])).toMatchObject({ code: "NOT_FOUND" });
    });
  });
}
