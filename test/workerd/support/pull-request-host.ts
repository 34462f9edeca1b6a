// The code host of a session with pull request 7: it returns the pull request as it was last
// marked, and records the requests.
import { afterEach, beforeEach, vi } from "vitest";

export interface PullRequestHost {
  isDraft: boolean;
  /** How the pull request was marked, in order. */
  mutations: ("draft" | "ready")[];
  /** Releases the responses; resolved unless a test delays them. */
  gate: Promise<void>;
  /** How many requests have arrived. */
  asked(): number;
  /** It returns nothing but errors. */
  isBroken: boolean;
}

/** Replaces the code host in each test of a file. */
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
