// The deletion of a project with many sessions: the time of its response, the sends of others
// meanwhile, and the time until nothing is left of it.
import { demoRepository } from "../../practice/seed.ts";
import { createHttpClient } from "../lib/http-client.ts";
import { shortTurn } from "../lib/practice-turn.ts";
import { getJobId, type ProductSession } from "../lib/product.ts";
import { type Finding, toComparedFinding, toCountedFinding } from "../lib/result.ts";
import type { Bench } from "../lib/saved-work.ts";
import { connectOwner } from "./projects.ts";

export interface DeletionSize {
  sessions: number;
  /** Samples before the deletion. */
  sends: number;
}

const answerBarMs = 1_000;
const sendBar = 2;
/** Two minutes for a thousand sessions. */
const goneBarPerSessionMs = 120;

/**
 * Creates a project with sessions and deletes it, while a session of the demo project is in use.
 */
export async function measureDeletion(
  { world, product }: Bench,
  other: ProductSession,
  size: DeletionSize,
): Promise<Finding[]> {
  const client = createHttpClient(world.baseUrl, product.headers);
  await connectOwner(world.database, world.users.owner.id);
  const draft = { orgId: world.workspaceId, name: "Deleted", repository: demoRepository };
  const { id } = JSON.parse((await client.post("/api/projects", draft)).text).data;
  const project = `/api/projects/${id}`;
  for (let made = 0; made < size.sessions; made++) await client.post(`${project}/chat-sessions`, { title: "Deleted" });

  async function send(): Promise<number> {
    const reply = await other.send(shortTurn);
    await other.completed(getJobId(reply));
    await other.quiet();
    return reply.ms;
  }
  const left = world.database.prepare("SELECT count(*) AS left FROM sessions WHERE project_id = ?1").bind(id);
  try {
    const before: number[] = [];
    const meanwhile: number[] = [];
    for (let sent = 0; sent < size.sends; sent++) before.push(await send());
    const startedAt = performance.now();
    const answered = await client.delete(project);
    while ((await left.first("left")) !== 0) meanwhile.push(await send());
    const goneMs = performance.now() - startedAt;
    const what = `a project of ${size.sessions} sessions`;
    return [
      toCountedFinding(`${what} deleted`, answered.ms, "ms", answerBarMs),
      toComparedFinding(`send while ${what} goes, against before`, meanwhile, before, sendBar),
      toCountedFinding(`${what}: nothing left`, goneMs, "ms", size.sessions * goneBarPerSessionMs),
    ];
  } finally {
    client.close();
  }
}
