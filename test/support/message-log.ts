// A log of sent messages. The turn of each message writes its name to a ledger, which shows
// messages that ran twice or never.
import { type Client, type Reply, script } from "./client.ts";
import type { Ledger } from "./ledger.ts";
import { until } from "./until.ts";

export interface SentMessage {
  name: string;
  sessionPath: string;
  /** The service's response; null if it was lost. */
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
async function readJobs(client: Client, sessionPath: string): Promise<Job[]> {
  const { status, body } = await client.get(`${sessionPath}/jobs/chat?pageSize=100`);
  if (status !== 200) throw new Error(`the job list answered ${status}: ${JSON.stringify(body)}`);
  return body.data.reverse();
}

/** The jobs of a session, once all of them have ended. */
export async function restingJobs(client: Client, sessionPath: string): Promise<Job[]> {
  return await until("every job to have ended", async () => {
    const jobs = await readJobs(client, sessionPath);
    return jobs.every(({ status }) => !unfinished.includes(status)) && jobs;
  });
}

/** Maps the name in each message to the job that it started, or to null while it is queued. */
export async function readPlaces(client: Client, sessionPath: string): Promise<Map<string, string | null>> {
  const { messages: queue } = await client.upNext(sessionPath);
  const userMessages = (await client.messages(sessionPath)).filter(({ role }: { role: string }) => role === "user");
  return new Map([
    ...userMessages.map(
      (message: { content: string; jobId: string }) => [parseName(message.content), message.jobId] as const,
    ),
    ...queue.map((message) => [parseName(message.content), null] as const),
  ]);
}

function parseName(content: string): string {
  return /done ([\w-]+)/.exec(content)?.[1] ?? content;
}
