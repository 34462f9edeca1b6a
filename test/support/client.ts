// A client of the public API, as a test writes one: paths and bodies in, status and parsed answers out.
import type { WorldAddress } from "./shared-world.ts";

export interface Reply {
  status: number;
  headers: Headers;
  // Tests read answers as a client in a loosely typed language would.
  // biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what a test checks
  body: any;
}

export type Person = keyof WorldAddress["users"];
type Step = Record<string, unknown>;

/** Opens a client of one person of a world. */
export function clientOf(world: Pick<WorldAddress, "baseUrl" | "projectId" | "users">, person: Person = "owner") {
  const { apiKey } = world.users[person];

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const response = await fetch(world.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
  }

  const sessions = `/api/projects/${world.projectId}/chat-sessions`;

  return {
    call,
    get: (path: string) => call("GET", path),
    post: (path: string, body?: unknown, headers?: Record<string, string>) => call("POST", path, body, headers),
    put: (path: string, body?: unknown) => call("PUT", path, body),
    delete: (path: string) => call("DELETE", path),
    sessions,
    /** Creates a session and answers its path; with a message, the first turn runs. */
    async createSession(
      body: Record<string, unknown> = {},
    ): Promise<{ id: string; path: string; jobId: string | undefined }> {
      const created = await call("POST", sessions, body);
      if (created.status !== 201) throw new Error(`create answered ${created.status}: ${JSON.stringify(created.body)}`);
      const { id } = created.body.data.session;
      return { id, path: `${sessions}/${id}`, jobId: created.body.data.chatJobId };
    },
    /** Polls a job until it has one of the statuses; by default until it has ended. */
    async jobUntil(
      sessionPath: string,
      jobId: string,
      statuses = endedStatuses,
    ): Promise<{ status: string; error: string | null; errorCode: string | null; jobNumber: number }> {
      for (;;) {
        const { body } = await call("GET", `${sessionPath}/jobs/chat/${jobId}`);
        const { job } = body.data;
        if (statuses.includes(job.status)) return job;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    },
  };
}

const endedStatuses = ["completed", "failed", "cancelled", "awaiting_response"];

/** A message whose practice script the model follows. */
export function script(...steps: Step[]): string {
  return `Please do this.\n\`\`\`practice\n${steps.map((step) => JSON.stringify(step)).join("\n")}\n\`\`\``;
}
