// The git gateway: where a sandbox believes its repository to be. It lets fetches of the project through, and pushes to the session's own
// branch; the code host's token is put on here and never reaches a sandbox.
import { sessionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { type Pass, readPass } from "../sandbox/pass.ts";
import { findProject } from "../storage/queries/projects.ts";
import { gitRemote } from "./code-host.ts";
import { readPushHead } from "./push-commands.ts";

const operations = ["info/refs", "git-upload-pack", "git-receive-pack"] as const;
type Operation = (typeof operations)[number];

/** Answers `/internal/git/<project id>.git/<operation>`. */
export async function passGit(request: Request, env: Env, projectId: string, path: string): Promise<Response> {
  const operation = operations.find((known) => known === path);
  if (!operation) return failure(404, "The git gateway speaks smart HTTP only.");
  const pass = await readPass(env.SIGNING_KEY, request.headers, Date.now());
  if (pass?.projectId !== projectId) return failure(401, "No valid pass for this repository.");
  const [project, isAlive] = await Promise.all([findProject(env.DB, projectId), isAliveStill(env, pass)]);
  if (!isAlive) return failure(403, "This turn is over.");
  if (!project) return failure(404, "The project has been deleted.");
  const body = await bodyFor(request, operation, pass);
  if (body instanceof Response) return body;
  const remote = gitRemote(env, project.repository);
  const answer = await fetch(`${remote.url}/${operation}${new URL(request.url).search}`, {
    method: request.method,
    headers: headersFor(request.headers, remote.authorization),
    body,
    redirect: "manual",
  });
  // What the code host says of its own credential is not for the sandbox.
  if (answer.status === 401 || answer.status === 403) {
    await answer.body?.cancel();
    return failure(502, "The code host refused access to the repository.");
  }
  const contentType = answer.headers.get("content-type");
  const headers: HeadersInit = { "cache-control": "no-store", ...(contentType ? { "content-type": contentType } : {}) };
  return new Response(answer.body, { status: answer.status, headers });
}

/** An errand's pass lives by its own short time, a turn's only as long as the turn. */
async function isAliveStill(env: Env, { turnId, sessionId, generation }: Pass): Promise<boolean> {
  return turnId === null || (await sessionObject(env, sessionId).isTurnLive({ turnId, generation }));
}

async function bodyFor(request: Request, operation: Operation, pass: Pass): Promise<ReadableStream | null | Response> {
  if (operation !== "git-receive-pack" || request.body === null) return request.body;
  const head = await readPushHead(request.body);
  if (!head) return failure(400, "This push could not be read.");
  const own = `refs/heads/${pass.branch}`;
  const foreign = head.commands.find(({ ref, newId }) => ref !== own || /^0+$/.test(newId));
  if (foreign)
    return failure(403, `Only ${pass.branch} can be pushed from here, and not deleted. Refused: ${foreign.ref}`);
  return head.body;
}

function headersFor(from: Headers, authorization: string): Headers {
  const headers = new Headers({ authorization });
  for (const name of ["accept", "content-type", "content-encoding", "git-protocol", "user-agent"]) {
    const value = from.get(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}

function failure(status: 400 | 401 | 403 | 404 | 502, message: string): Response {
  return new Response(`${message}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}
