// Reports the state of pull requests of a repository at the real code host to the service. Its
// webhooks do not reach this machine, so it is polled.
import type { HostedRepository } from "./relay.ts";
import type { Webhooks } from "./webhooks.ts";

interface Listed {
  number: number;
  updated_at: string;
  merged?: boolean;
  merged_at?: string | null;
  head: { repo?: { id: number } | null };
}

const askEveryMs = 15_000;
const answerWaitMs = 10_000;

/**
 * Polls until the returned function is called. What has changed since the last response is sent as
 * a webhook.
 */
export function startPullRequestReports(
  { name, id, apiUrl, token }: HostedRepository,
  webhooks: Pick<Webhooks, "send">,
  everyMs = askEveryMs,
): () => void {
  const repository = { id, full_name: name };
  const seen = new Map<number, string>();
  const ending = new AbortController();

  async function ask(): Promise<void> {
    const query = "state=all&sort=updated&direction=desc&per_page=50";
    const answer = await fetch(`${apiUrl}/repos/${name}/pulls?${query}`, {
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${token}`,
        "user-agent": "switchyard",
        "x-github-api-version": "2022-11-28",
      },
      signal: AbortSignal.any([ending.signal, AbortSignal.timeout(answerWaitMs)]),
    });
    if (!answer.ok) return void (await answer.body?.cancel());
    // Oldest first, like real webhooks.
    for (const one of ((await answer.json()) as Listed[]).reverse()) {
      if (seen.get(one.number) === one.updated_at) continue;
      seen.set(one.number, one.updated_at);
      const head = { ...one.head, repo: one.head.repo === undefined ? repository : one.head.repo };
      // Lists have the time of the merge, but no `merged` field.
      const merged = one.merged ?? typeof one.merged_at === "string";
      const pull_request = { ...one, merged, head };
      webhooks.send("pull_request", { action: "edited", number: one.number, pull_request, repository });
    }
  }

  async function askAgain(): Promise<void> {
    // If the host does not respond, the next poll tries again.
    await ask().catch(() => {});
    if (!ending.signal.aborted) timer = setTimeout(askAgain, everyMs);
  }

  let timer = setTimeout(askAgain, everyMs);
  return () => {
    ending.abort();
    clearTimeout(timer);
  };
}
