// The smoke test of a running service: a team's first day, through the public API, step by step.
// The first step that fails is named.
import { setTimeout as sleep } from "node:timers/promises";
import { Stop } from "./exit.ts";
import { getCause, readStatus } from "./http.ts";

export interface SmokeTest {
  /** The service's address. */
  baseUrl: string;
  /** An API key of a member. */
  key: string;
  projectId: string;
  say(line: string): void;
  /** Requests the address of a preview and returns its status. */
  open?: (url: string) => Promise<number>;
}

interface Preview {
  frontendUrls: Record<string, string>;
}
interface Created {
  session: { id: string };
  chatJobId: string;
}

const answerWaitMs = 30_000;
const turnWaitMs = 5 * 60_000;
const previewWaitMs = 2 * 60_000;
const lookEveryMs = 500;
const prompt = "Say in one sentence what this repository is. Change nothing.";

/**
 * Runs all steps and archives the session at the end. Throws `Stop` with the step that failed and
 * the service's message.
 */
export async function runSmokeTest({ baseUrl, key, projectId, say, open = openOutside }: SmokeTest): Promise<void> {
  async function ask<Data>(method: string, path: string, body?: object): Promise<Data> {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      signal: AbortSignal.timeout(answerWaitMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new Error(`${method} ${path} is not answered: ${getCause(error)}.`);
    });
    const read = (await answer.json().catch(() => ({}))) as { data?: Data; error?: string };
    if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${read.error ?? "without a reason"}`);
    return read.data as Data;
  }

  async function step<Result>(what: string, act: () => Promise<Result>): Promise<Result> {
    try {
      const result = await act();
      say(`  ok: ${what}`);
      return result;
    } catch (error) {
      throw new Stop(`  WRONG: ${what}. ${error instanceof Error ? error.message : error}`);
    }
  }

  await step("the service describes itself", () => ask("GET", "/api/openapi.json"));
  const project = `/api/projects/${projectId}`;
  const { orgId } = await step("the project is found", () => ask<{ orgId: string }>("GET", project));
  const created = await step("a session is created", () =>
    ask<Created>("POST", `${project}/chat-sessions`, { title: "Smoke test", content: prompt }),
  );
  const session = `${project}/chat-sessions/${created.session.id}`;
  const of = `?sessionId=${created.session.id}`;
  const isHealthy = async () =>
    (await ask<{ state: string }>("GET", `${project}/preview/health${of}`)).state === "healthy" || null;
  try {
    await step("its turn completes", () =>
      until(turnWaitMs, async () => {
        const path = `${session}/jobs/chat/${created.chatJobId}`;
        const { status, error } = (await ask<{ job: { status: string; error: string | null } }>("GET", path)).job;
        if (["failed", "cancelled"].includes(status)) throw new Error(`It is ${status}: ${error}`);
        return ["completed", "awaiting_response"].includes(status) || null;
      }),
    );
    const shown = () =>
      until(previewWaitMs, async () => {
        const { frontendUrls } = await ask<Preview>("GET", `${project}/preview${of}`);
        const [url] = Object.values(frontendUrls);
        return url && (await isHealthy()) && url;
      });
    const opened = async () => {
      const status = await open(await shown());
      if (status >= 400) throw new Error(`Its address answers ${status}.`);
    };
    await step("its preview opens", opened);
    await step("its sandbox pauses", () =>
      ask("POST", `/api/organizations/${orgId}/stop-sandboxes`, {
        sessionIds: [created.session.id],
      }),
    );
    await step("and wakes again", opened);
  } finally {
    await ask("PUT", session, { status: "archived" }).catch(() =>
      say("  The session stays: it could not be archived."),
    );
  }
}

async function openOutside(url: string): Promise<number> {
  return await readStatus(url).catch((error: unknown) => {
    throw new Error(`${new URL(url).host} is not reached: ${getCause(error)}.`);
  });
}

/** Polls until there is a result. */
async function until<Found>(waitMs: number, look: () => Promise<Found | null | undefined | "">): Promise<Found> {
  const end = Date.now() + waitMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`It took longer than ${waitMs / 1_000} s.`);
    await sleep(lookEveryMs);
  }
}
