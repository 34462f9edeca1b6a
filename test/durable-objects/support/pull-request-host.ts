// The code host of a session with pull request 7: it answers with the pull request as it was last
// marked, and remembers what was asked.
import { afterEach, beforeEach, vi } from "vitest";

export interface PullRequestHost {
  isDraft: boolean;
  /** How the pull request was marked, in order. */
  mutations: ("draft" | "ready")[];
  /** Lets the answers out; resolved unless a test holds them back. */
  gate: Promise<void>;
  /** How many requests have come. */
  asked(): number;
  /** It answers nothing but errors. */
  isBroken: boolean;
}

/** Stands in for the code host in each test of a file. */
export function pullRequestHost(): PullRequestHost {
  const host: PullRequestHost = {
    isDraft: false,
    mutations: [],
    gate: Promise.resolve(),
    asked: () => vi.mocked(fetch).mock.calls.length,
    isBroken: false,
  };
  beforeEach(() => {
    Object.assign(host, { isDraft: false, mutations: [], gate: Promise.resolve(), isBroken: false });
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      await host.gate;
      if (host.isBroken) return new Response("broken", { status: 500 });
      const url = String(input instanceof Request ? input.url : input);
      const [, compared] = /compare[/](.*)[.]{3}/.exec(url) ?? [];
      if (compared !== undefined) return Response.json({ ahead_by: 1, behind_by: compared === "main" ? 0 : 2 });
      if (!url.endsWith("/graphql")) {
        const pull = { number: 7, node_id: "PR_7", html_url: "http://host/7", state: "open", merged: false };
        return Response.json({ ...pull, draft: host.isDraft, base: { ref: "main" } });
      }
      host.isDraft = String(init?.body).includes("convertPullRequestToDraft");
      host.mutations.push(host.isDraft ? "draft" : "ready");
      return Response.json({ data: {} });
    });
  });
  afterEach(() => vi.restoreAllMocks());
  return host;
}
