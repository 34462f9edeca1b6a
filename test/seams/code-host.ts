// The contract of code hosts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CodeHost, NewPullRequest, PullRequestText } from "../../src/code-host/code-host.ts";
import { isRefusal } from "../../src/rules/refusal.ts";

/** A code host under test, with the means to prepare its state. */
export interface OpenedCodeHost {
  host: CodeHost;
  /** An existing repository `owner/name` with a branch `main`. */
  repository: string;
  /** The same host, at an address where nothing listens. */
  unreachable: CodeHost;
  /** The same host, at an address that accepts requests and never answers. */
  silent: CodeHost;
  /** The same host, with a credential that it does not accept. */
  shutOut: CodeHost;
  /** Opens a pull request into `main` and answers its number. */
  openPullRequest(isDraft: boolean): Promise<number>;
  /**
   * Creates a branch that is behind and ahead of `main` by this many commits. Answers its name,
   * which contains a slash and a `#`.
   */
  makeBranch(behindBy: number, aheadBy: number): Promise<string>;
  /** Sets a status on a commit. */
  setStatus(sha: string, context: string, state: "success" | "failure" | "pending" | "error"): Promise<void>;
  /** Reports a check run. Without a conclusion it is in progress. */
  reportRun(sha: string, name: string, conclusion: string | null, output?: object): Promise<void>;
  /** The head of a branch. */
  readCommit(branch: string): Promise<string>;
  /** Submits an approving review. */
  approve(number: number, login: string): Promise<void>;
  /** Submits a review with comments on lines, and returns its id. */
  askForChanges(number: number, login: string, comments: object[]): Promise<number>;
  /** The requested reviewers of a pull request. */
  readReviewers(number: number): Promise<string[]>;
  /** The title and body of a pull request at the code host. */
  readText(number: number): Promise<PullRequestText>;
  merge(number: number): Promise<void>;
  closePullRequest(number: number): Promise<void>;
  /** Ends everything that was started for the test. */
  close(): Promise<void>;
}

/** Tests the contract on one code host. */
export function codeHostContract(name: string, open: () => Promise<OpenedCodeHost>): void {
  describe(`${name} as a code host`, () => {
    let opened: OpenedCodeHost;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const readState = async (number: number) => {
      const read = await opened.host.readPullRequest(opened.repository, number);
      return isRefusal(read) ? read.code : read.state;
    };
    const calls = ["readPullRequest", "markReady", "markDraft"] as const;

    test.each([
      [true, "draft"],
      [false, "open"],
    ] as const)(
      "a pull request that was opened with draft %s reads as %s, with its URL and base",
      async (isDraft, state) => {
        const number = await opened.openPullRequest(isDraft);
        const read = await opened.host.readPullRequest(opened.repository, number);
        const url = expect.stringMatching(/^https?:\/\/.+\/pull\/\d+$/);
        expect(read).toEqual({
          number,
          state,
          base: "main",
          changedAt: expect.any(Number),
          sha: expect.stringMatching(/^[0-9a-f]{40}$/),
          url,
        });
      },
    );

    test("a repository is read by its name, and an unknown one is not found", async () => {
      const { host, repository } = opened;
      expect(await host.readRepository(repository)).toEqual({
        repository,
        repositoryId: expect.any(Number),
        defaultBranch: "main",
      });
      expect(await host.hasBranch(repository, "main")).toBe(true);
      expect(await host.hasBranch(repository, "no/such branch")).toBe(false);
    });

    test("push access is read by login and id", async () => {
      const { host, repository } = opened;
      expect(await host.readAccess(repository, { login: "mia-member", hostUserId: "1003" })).toBe("push");
      expect(await host.readAccess(repository, { login: "mia-member", hostUserId: "1" })).toBe("none");
      expect(await host.readAccess(repository, { login: "nobody", hostUserId: "1003" })).toBe("none");
    });

    test("a draft is marked ready and back, idempotently", async () => {
      const number = await opened.openPullRequest(true);
      for (const _ of ["first", "again"]) {
        expect(await opened.host.markReady(opened.repository, number)).toBeNull();
        expect(await readState(number)).toBe("open");
      }
      for (const _ of ["first", "again"]) {
        expect(await opened.host.markDraft(opened.repository, number)).toBeNull();
        expect(await readState(number)).toBe("draft");
      }
    });

    let wishes = 0;
    const wish = (changes: Partial<NewPullRequest> = {}): NewPullRequest => {
      wishes += 1;
      return { title: "Do it", body: "As said.", branch: `wish/${wishes}#`, base: "main", isDraft: false, ...changes };
    };
    const propose = async (changes: Partial<NewPullRequest> = {}) => {
      const made = await opened.host.openPullRequest(opened.repository, wish(changes));
      if (isRefusal(made)) throw new Error(made.message);
      return made;
    };

    test.each([
      [true, "draft"],
      [false, "open"],
    ] as const)("one is opened, with draft %s, and reads as it was returned", async (isDraft, state) => {
      const made = await propose({ isDraft });
      expect(made).toMatchObject({ state, base: "main" });
      expect(await opened.host.readPullRequest(opened.repository, made.number)).toEqual(made);
    });

    test("one that is already open is returned unchanged, also to concurrent calls", async () => {
      const { branch } = wish();
      const all = await Promise.all(Array.from({ length: 5 }, () => propose({ branch })));
      expect(new Set(all.map(({ number }) => number)).size).toBe(1);
      expect(await propose({ branch, title: "Another", isDraft: true })).toEqual(all[0]);
      // After it is closed, a new one can be opened.
      await opened.closePullRequest(all[0]?.number ?? 0);
      expect((await propose({ branch })).number).not.toBe(all[0]?.number);
    });

    test("given fields are changed, and the others are not", async () => {
      const { number } = await propose();
      expect(await opened.host.updatePullRequest(opened.repository, number, { body: "Now so: é ✓" })).toBeNull();
      expect(await opened.readText(number)).toEqual({ title: "Do it", body: "Now so: é ✓" });
      expect(await opened.host.updatePullRequest(opened.repository, number, { title: "Done" })).toBeNull();
      expect(await opened.readText(number)).toEqual({ title: "Done", body: "Now so: é ✓" });
    });

    test("an open one is merged, idempotently; a draft and a closed one are not", async () => {
      const { number } = await propose();
      for (const _ of ["first", "again"]) {
        expect(await opened.host.mergePullRequest(opened.repository, number)).toBeNull();
        expect(await readState(number)).toBe("merged");
      }
      const draft = await propose({ isDraft: true });
      const closed = await propose();
      await opened.closePullRequest(closed.number);
      for (const [one, state] of [
        [draft, "draft"],
        [closed, "closed"],
      ] as const) {
        const refusal = await opened.host.mergePullRequest(opened.repository, one.number);
        expect(refusal).toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining(state) });
        expect(await readState(one.number)).toBe(state);
      }
    });

    test("an unknown pull request or repository is NOT_FOUND, and an unreachable host is SERVICE_UNAVAILABLE", async () => {
      const calls = (host: CodeHost, repository: string) => [
        host.openPullRequest(repository, wish()),
        host.updatePullRequest(repository, 999_999, { title: "x" }),
        host.mergePullRequest(repository, 999_999),
      ];
      for (const answer of await Promise.all(calls(opened.host, "nobody/nothing")))
        expect(answer).toMatchObject({ code: "NOT_FOUND" });
      for (const host of [opened.unreachable, opened.silent, opened.shutOut])
        for (const answer of await Promise.all(calls(host, opened.repository)))
          expect(answer).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    });

    test("the changed files of a pull request are listed; there are none without a branch", async () => {
      const number = await opened.openPullRequest(false);
      expect(await opened.host.listChangedFiles(opened.repository, number)).toEqual([]);
      expect(await opened.host.listChangedFiles(opened.repository, 999_999)).toMatchObject({ code: "NOT_FOUND" });
    });

    test("a branch with any name, or a commit of it, is compared with its base", async () => {
      const { host, repository } = opened;
      const branch = await opened.makeBranch(2, 3);
      expect(await host.compareBranches(repository, "main", branch)).toEqual({ behindBy: 2, aheadBy: 3 });
      expect(await host.compareBranches(repository, branch, branch)).toEqual({ behindBy: 0, aheadBy: 0 });
      const [own, theirs] = await Promise.all([branch, "main"].map(opened.readCommit));
      expect(await host.readBranchHead(repository, branch)).toBe(own);
      expect(await host.compareBranches(repository, "main", own ?? "")).toEqual({ behindBy: 2, aheadBy: 3 });
      expect(await host.compareBranches(repository, "main", theirs ?? "")).toEqual({ behindBy: 0, aheadBy: 0 });
      for (const [base, other] of [
        ["main", "nobody/made-it"],
        ["nobody/made-it", "main"],
      ] as const)
        expect(await host.compareBranches(repository, base, other)).toMatchObject({ code: "NOT_FOUND" });
      expect(await host.compareBranches("nobody/nothing", "main", "main")).toMatchObject({ code: "NOT_FOUND" });
    });

    test("a comparison on a host that is unreachable, silent or refuses access is SERVICE_UNAVAILABLE", async () => {
      for (const host of [opened.unreachable, opened.silent, opened.shutOut]) {
        const refusal = await host.compareBranches(opened.repository, "main", "main");
        expect(refusal).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
      }
    });

    test("many concurrent calls that mark the same pull request all succeed", async () => {
      const number = await opened.openPullRequest(true);
      const marked = await Promise.all(
        Array.from({ length: 8 }, () => opened.host.markReady(opened.repository, number)),
      );
      expect(marked).toEqual(Array(8).fill(null));
      expect(await readState(number)).toBe("open");
    });

    test("only one pull request is marked", async () => {
      const [one, other] = [await opened.openPullRequest(true), await opened.openPullRequest(true)];
      await opened.host.markReady(opened.repository, one);
      expect([await readState(one), await readState(other)]).toEqual(["open", "draft"]);
    });

    test.each(["merged", "closed"] as const)(
      "one that is %s is refused with that reason and not marked",
      async (state) => {
        const number = await opened.openPullRequest(false);
        await (state === "merged" ? opened.merge(number) : opened.closePullRequest(number));
        expect(await readState(number)).toBe(state);
        for (const mark of ["markReady", "markDraft"] as const) {
          const refusal = await opened.host[mark](opened.repository, number);
          expect(refusal).toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining(state) });
        }
        expect(await readState(number)).toBe(state);
      },
    );

    test.each(calls)("%s of an unknown pull request or repository is NOT_FOUND", async (call) => {
      expect(await opened.host[call](opened.repository, 999_999)).toMatchObject({ code: "NOT_FOUND" });
      expect(await opened.host[call]("nobody/nothing", 1)).toMatchObject({ code: "NOT_FOUND" });
    });

    test.each(calls)(
      "%s on a host that is unreachable, silent or refuses access is SERVICE_UNAVAILABLE",
      async (call) => {
        for (const host of [opened.unreachable, opened.silent, opened.shutOut]) {
          const refusal = await host[call](opened.repository, 1);
          expect(refusal).toMatchObject({
            code: "SERVICE_UNAVAILABLE",
            message: expect.stringContaining("code host"),
          });
        }
      },
    );
  });
}
