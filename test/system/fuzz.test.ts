// Four thousand requests that are spoilt in one way or another: the service answers each of them,
// soon, and says what is wrong in its own words. Another seed makes other requests.
import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withoutReferences } from "../support/api-document.ts";
import { signIn } from "../support/browser.ts";
import { createClient } from "../support/client.ts";
import { type ApiDocument, type FuzzedRequest, fuzzedRequests, type Known } from "../support/fuzzed-requests.ts";
import { answerTo } from "../support/http-exchange.ts";
import { readCommand } from "../support/process-tree.ts";
import { randomSource } from "../support/random-source.ts";
import { createWorld, type RunningWorld } from "../support/running-world.ts";

const seed = 20_261_122;
const requests = 4_000;
const atOnce = 6;
/**
 * The longest that an answer may wait is the ten seconds of a run that is started now (Part 2,
 * "Limits"). A busy machine needs some of its own.
 */
const soonMs = 30_000;
/** What the last quarter may add: the runtime frees what it no longer needs when it likes. */
const roomMb = 100;

let world: RunningWorld;
beforeAll(async () => {
  world = await createWorld();
  await world.start();
});
afterAll(() => world.remove());

/** May wait until a sandbox is created or woken (Part 1, "Previews and sandboxes"). */
const waitsForSandbox = /\/preview(\/git\/(commit|push))?(\?|$)/;

interface Reply {
  status: number;
  code: string | null;
  requestId: unknown;
  tookMs: number;
}

async function send(request: FuzzedRequest): Promise<Reply> {
  const startedAt = performance.now();
  const answer = await answerTo(world.address().baseUrl, request);
  const tookMs = performance.now() - startedAt;
  const isStream = answer.headers["content-type"]?.startsWith("text/event-stream");
  const text = isStream ? "" : (await buffer(answer)).toString("utf8");
  // A stream of events has no end of its own.
  answer.destroy();
  const code = text.startsWith("{") ? (JSON.parse(text).code ?? null) : null;
  return { status: answer.statusCode ?? 0, code, requestId: answer.headers["x-request-id"], tookMs };
}

/** What is wrong with how a request was answered; null for nothing. */
async function findFault(request: FuzzedRequest): Promise<string | null> {
  const reply = await send(request);
  // What cannot be had at the moment, as a patch of a paused sandbox, says so.
  const isUnavailable = reply.status === 503 && (request.method === "HEAD" || reply.code === "SERVICE_UNAVAILABLE");
  if (reply.status >= 500 && !isUnavailable) return `answers ${reply.status} ${reply.code}`;
  if (reply.status >= 400 && request.method !== "HEAD" && reply.code === null)
    return `answers ${reply.status} without a code`;
  if (reply.requestId === undefined) return `answers ${reply.status} without a request id`;
  if (waitsForSandbox.test(request.path)) return null;
  // On a busy machine one answer may be late. A request that is slow is slow each time.
  if (reply.tookMs > soonMs && (await send(request)).tookMs > soonMs) return `takes more than ${soonMs} ms`;
  return null;
}

/** The memory of the Worker's runtime, in MB. */
function runtimeMemory(): number {
  const runtime = world.processes().filter((one) => readCommand(one).includes("/workerd serve "));
  const kilobytes = runtime.map(({ id }) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]),
  );
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1_024;
}

/** Ids of the demo workspace and of the outsider's, and a credential of every kind. */
async function knownNames(): Promise<Known> {
  const address = world.address();
  const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
  const owner = createClient(address);
  const workspaces = await createClient(address, "outsider").get("/api/organizations");
  const backlog = await owner.createSession({ status: "backlog" });
  const relay = await owner.post(`/api/organizations/${address.workspaceId}/relay-keys`, { name: "Fuzz" });
  const people = [address.users.owner, address.users.member, address.users.outsider];
  return {
    ids: {
      projectId: [address.projectId],
      sessionId: [await newSession(), backlog.id],
      workspaceId: [address.workspaceId, workspaces.body.data[0].id],
      userId: people.map(({ id }) => id),
    },
    headers: [
      {},
      bearer("svc_key_nobody"),
      bearer(relay.body.data.key),
      (await signIn(address, "owner")).headers,
      ...people.map(({ apiKey }) => bearer(apiKey)),
    ],
  };
}

const newSession = async () => (await createClient(world.address()).createSession({ title: "Fuzz" })).id;

/**
 * Takes the workspace or the project, or its caller's place in it, after which every request would
 * be refused at the door.
 */
const takesTheDoor =
  /^DELETE \/api\/(organizations|projects)\/[^/]*(\?|$)|\/(api-keys\/current|sign-out|leave|transfer-ownership|members\/[^/]*)(\?|$)/;

test(
  "any request gets a response of the service, soon, and without a memory leak",
  async () => {
    const document: ApiDocument = withoutReferences(
      (await createClient(world.address()).get("/api/openapi.json")).body,
    );
    const known = await knownNames();
    const { next } = fuzzedRequests(document, known, randomSource(seed));
    const faults: string[] = [];
    const ask = async (times: number) => {
      let left = times;
      const askInTurn = async () => {
        while (left-- > 0) {
          const request = next();
          if (takesTheDoor.test(`${request.method} ${request.path}`)) continue;
          const fault = await findFault(request).catch((error: unknown) => `is not answered: ${String(error)}`);
          if (fault) faults.push(`${request.operationId} ${fault}: ${JSON.stringify(request).slice(0, 600)}`);
          // So that there is always one that is not deleted.
          if (request.operationId === "deleteSession") known.ids.sessionId?.push(await newSession());
        }
      };
      await Promise.all(Array.from({ length: atOnce }, askInTurn));
    };
    await ask((requests * 3) / 4);
    const beforeMb = runtimeMemory();
    await ask(requests / 4);
    expect(faults).toEqual([]);
    await expect.poll(runtimeMemory).toBeLessThan(beforeMb + roomMb);
  },
  30 * 60_000,
);
