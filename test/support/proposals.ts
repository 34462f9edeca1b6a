// Pull requests in tests: a session with changes, a message that asks for a pull request, and the
// code host's state afterwards.
import { randomUUID } from "node:crypto";
import { demoRepository as repository } from "../../practice/seed.ts";
import { createClient, createdSessions, type Step, script } from "./client.ts";
import { git } from "./git.ts";
import type { WorldAddress } from "./world-address.ts";
import { readSecrets } from "./world-secrets.ts";

export interface Question {
  topic: string;
  question: string;
  options: { title: string; description: string; isRecommended: boolean }[];
}

/** Creates helpers for the service and the code host of a world. */
export function createProposals(world: WorldAddress) {
  const owner = createClient(world);
  const { codeHostToken } = readSecrets(world);
  const bare = `${world.stateDir}/forge/repositories/${repository}.git`;
  const record = async (path: string) => (await owner.get(path)).body.data.session;
  /** A different change each time, because a merged change would no longer be a change. */
  const change = (): Step => ({ write: { path: "departures.txt", content: `08:14 Utrecht, ${randomUUID()}\n` } });

  async function callCodeHost(method: string, path: string, body?: unknown) {
    const answer = await fetch(`${world.forgeUrl}/repos/${repository}${path}`, {
      method,
      headers: { authorization: `Bearer ${codeHostToken}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what a test checks
    return { status: answer.status, body: (await answer.json()) as any };
  }

  return {
    owner,
    record,
    change,
    callCodeHost,
    atCodeHost: async (...args: string[]) => (await git(world.stateDir, ["--git-dir", bare, ...args])).stdout,
    /** The pull request of a branch at the code host. */
    async proposedAtCodeHost(branch: string) {
      const query = `state=all&head=${encodeURIComponent(`${repository.split("/")[0]}:${branch}`)}`;
      const { body } = await callCodeHost("GET", `/pulls?${query}`);
      const listed: { number: number }[] = body;
      return await Promise.all(listed.map(async ({ number }) => (await callCodeHost("GET", `/pulls/${number}`)).body));
    },
    async readReviewers(number: number): Promise<string[]> {
      const { body } = await callCodeHost("GET", `/pulls/${number}/requested_reviewers`);
      return body.users.map(({ login }: { login: string }) => login).sort();
    },
    /** Creates a session with an uncommitted change. */
    async worked(more: Record<string, unknown> = {}) {
      const opened = await owner.createSession({ title: "Open", content: script(change(), { say: "Done." }), ...more });
      await owner.jobUntil(opened.path, opened.jobId);
      return { ...opened, branch: (await record(opened.path)).branch as string };
    },
    /** Sends a message. Returns its ended job. */
    async ask(path: string, content: string, client = owner, more: Record<string, unknown> = {}) {
      const sent = await client.send(path, content, more);
      if (sent.body?.data?.delivery !== "job") throw new Error(`a send answered ${JSON.stringify(sent.body)}`);
      return await client.jobUntil(path, sent.body.data.chatJobId);
    },
    async listQuestions(path: string, jobId: string) {
      const blocks = await owner.listBlocks(path, jobId);
      return blocks.flatMap((block) =>
        block.type === "clarification" ? (block.clarificationData as { questions: Question[] }).questions : [],
      );
    },
    /** Deletes the sessions that the file has created so far, because the plan limits sandboxes. */
    async endSessions() {
      for (const id of createdSessions.keys()) {
        await owner.delete(`${owner.sessions}/${id}`);
        createdSessions.delete(id);
      }
    },
  };
}
