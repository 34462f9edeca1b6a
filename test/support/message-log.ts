// What a tester sent to sessions and what became of it: each message writes its name to a ledger when its turn runs, so that running it
// twice, or never, shows.
import { type Client, type Reply, script } from "./client.ts";
import type { Ledger } from "./ledger.ts";
import { until } from "./until.ts";

export interface SentMessage {
  name: string;
  sessionPath: string;
  /** What the service answered; null when the answer was lost. */
  accepted: { jobId: string } | { queuedMessageId: string } | null;
}

interface Job {
  id: string;
  status: string;
  error: string | null;
}

const unfinished = ["pending", "running"];

/** Sends a message whose turn writes its name to the ledger. */
export async function sendNamed(client: Client, ledger: Ledger, sessionPath: string, name: string) {
  const content = script({ bash: ledger.entry(name) }, { sleep: 150 }, { say: `done ${name}` });
  const reply: Reply | null = await client.send(sessionPath, content).catch(() => null);
  if (reply !== null && reply.status !== 201) throw new Error(`send answered ${reply.status}`);
  const { chatJobId, queuedMessageId } = reply?.body.data ?? {};
  const accepted = chatJobId ? { jobId: chatJobId } : queuedMessageId ? { queuedMessageId } : null;
  return { name, sessionPath, accepted } satisfies SentMessage;
}

/** The jobs of a session, oldest first. */
export async function jobsOf(client: Client, sessionPath: string): Promise<Job[]> {
  const { status, body } = await client.get(`${sessionPath}/jobs/chat?pageSize=100`);
  if (status !== 200) throw new Error(`the job list answered ${status}: ${JSON.stringify(body)}`);
  return body.data.reverse();
}

/** The jobs of a session once none of them is under way. */
export async function restingJobs(client: Client, sessionPath: string): Promise<Job[]> {
  return await until("every job to have ended", async () => {
    const jobs = await jobsOf(client, sessionPath);
    return jobs.every(({ status }) => !unfinished.includes(status)) && jobs;
  });
}

/** Where each message of a session is: the job that it started, or null while it waits Up next. By the name within its content. */
export async function placesOf(client: Client, sessionPath: string): Promise<Map<string, string | null>> {
  const { messages: queue } = await client.upNext(sessionPath);
  const spoken = (await client.messages(sessionPath)).filter(({ role }: { role: string }) => role === "user");
  return new Map([
    ...spoken.map((message: { content: string; jobId: string }) => [nameIn(message.content), message.jobId] as const),
    ...queue.map((message) => [nameIn(message.content), null] as const),
  ]);
}

function nameIn(content: string): string {
  return /done ([\w-]+)/.exec(content)?.[1] ?? content;
}
