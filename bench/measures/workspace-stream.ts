// The stream of a workspace with a thousand listeners: how soon a change is in the feed and reaches
// the last of them, and what they cost the database.
import type { World } from "../../practice/local-service.ts";
import type { Counts } from "../lib/counts.ts";
import { createEventListener } from "../lib/event-listener.ts";
import { createHttpClient, type HttpClient } from "../lib/http-client.ts";
import { type Finding, toCountedFinding, toTimedFinding } from "../lib/result.ts";

export interface StreamSize {
  listeners: number;
  changes: number;
}

const withinMs = 1_000;
const feedPauseMs = 3;

/**
 * Measures how soon a change of a session is in the feed, and reaches the last listener of the
 * workspace.
 */
export async function measureWorkspaceStream(world: World, { listeners, changes }: StreamSize): Promise<Finding[]> {
  const changing = await createChanging(world, listeners);
  try {
    const feed: number[] = [];
    const stream: number[] = [];
    for (let change = 0; change < changes; change++) {
      const startedAt = performance.now();
      const id = await changing.change();
      const isInFeed = changing.inFeed(id).then(() => feed.push(performance.now() - startedAt));
      const isWithAll = changing.withAll(id).then(() => stream.push(performance.now() - startedAt));
      await Promise.all([isInFeed, isWithAll]);
    }
    const many = listeners.toLocaleString("en");
    return [
      toTimedFinding("a change is in the feed", feed, withinMs),
      toTimedFinding(`a change is with the last of ${many} listeners`, stream, withinMs),
    ];
  } finally {
    changing.close();
  }
}

/**
 * Counts the additional D1 calls of a change with listeners. `total` reads the counts of a world
 * with counting bindings.
 */
export async function countWorkspaceStream(
  world: World,
  { listeners, changes }: StreamSize,
  total: () => Promise<Counts>,
): Promise<Finding[]> {
  async function leastRoundTrips(of: number): Promise<number> {
    const changing = await createChanging(world, of);
    const found: number[] = [];
    for (let change = 0; change < changes; change++) {
      const before = (await total()).roundTrips;
      await changing.withAll(await changing.change());
      found.push((await total()).roundTrips - before);
    }
    changing.close();
    return Math.min(...found);
  }
  // One listener reports when the change has arrived.
  const more = (await leastRoundTrips(listeners)) - (await leastRoundTrips(1));
  return [
    toCountedFinding(
      `D1 round trips more for ${listeners.toLocaleString("en")} listeners than for one`,
      more,
      "times",
      0,
    ),
  ];
}

interface Changing {
  /** Changes a session's priority. Returns the new event's subject, which is unique. */
  change(): Promise<string>;
  inFeed(subject: string): Promise<void>;
  withAll(subject: string): Promise<void>;
  close(): void;
}

/** Creates a session to change, and the listeners of its workspace. */
export async function createChanging(world: World, count: number): Promise<Changing> {
  const headers = { authorization: `Bearer ${world.users.owner.apiKey}` };
  const client = createHttpClient(world.baseUrl, headers);
  const stream = `${world.baseUrl}/api/organizations/${world.workspaceId}/events`;
  const listeners = Array.from({ length: count }, () => createEventListener(stream, headers));
  await Promise.all(listeners.map(({ heard }) => heard("event: reset")));
  const { path, title } = await createSession(world, client);
  await Promise.all(listeners.map(({ heard }) => heard("session_started", title)));
  const priorities = ["high", "low"];
  let at = 0;
  return {
    async change() {
      const subject = `${title} ${++at}`;
      await client.put(path, { title: subject, priority: priorities[at % 2] });
      return subject;
    },
    async inFeed(subject) {
      while (!(await client.get("/api/activity?limit=5")).text.includes(subject)) await sleep(feedPauseMs);
    },
    async withAll(subject) {
      await Promise.all(listeners.map(({ heard }) => heard("session_priority_changed", subject)));
    },
    close() {
      for (const { leave } of listeners) leave();
      client.close();
    },
  };
}

async function createSession(world: World, client: HttpClient): Promise<{ path: string; title: string }> {
  const title = `Listened to ${crypto.randomUUID()}`;
  const sessions = `/api/projects/${world.projectId}/chat-sessions`;
  const { text } = await client.post(sessions, { title });
  return { path: `${sessions}/${JSON.parse(text).data.session.id}`, title };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
