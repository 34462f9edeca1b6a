// The git gateway, which a sandbox uses as its remote. It allows fetches of the project, and pushes
// to the session's own branch that drop no commits of others. It adds the code host's token, which
// is never sent to a sandbox.
import { getSessionObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import { bodyMemory } from "../../lib/byte-budget.ts";
import { findStreamRefusal } from "../../lib/byte-stream.ts";
import { findProject } from "../../project/queries.ts";
import { fetchRequestBytes, pushInspectionBytes } from "../../rules/limits.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { isTokenAlive, readToken } from "../../sandbox/token.ts";
import { findCommitsToKeep } from "../../session/rules/branch.ts";
import { type GitRemote, getGitRemote } from "../code-host.ts";
import { checkPush, type PushCommand } from "../rules/push.ts";
import { type ByteReader, createByteReader } from "./byte-reader.ts";
import { createFetchFailure, createGitFailure, forwardGit, type GitRequest } from "./forward.ts";
import { commitsMax, readAncestry } from "./pack.ts";
import { type PushHead, readPushHead } from "./push-commands.ts";
import { explainReport, explainWorkflows, formatRefusalReport, isReportWanted, watchReport } from "./push-report.ts";
import { createGitBody, type GitBody } from "./request-body.ts";

const services = ["git-upload-pack", "git-receive-pack"];

/** Handles `/internal/git/<project id>.git/<operation>`. */
export async function handleGitRequest(request: Request, env: Env, projectId: string, path: string): Promise<Response> {
  const operation = createOperation(request, path);
  if (!operation) return createGitFailure(404, "The git gateway speaks smart HTTP only.");
  if (request.method !== operation.method) return createGitFailure(405, `This takes ${operation.method} only.`);
  const token = await readToken(env, request.headers, Date.now());
  if (token?.projectId !== projectId) return createGitFailure(401, "No valid token for this repository.");
  const isPush = operation.path.includes("git-receive-pack");
  // Only a session has its own branch. A main sandbox and a spare push nothing, whatever their
  // token permits.
  const mayPush = token.git === "push" && token.owner?.type === "session";
  if (token.git === "none" || (isPush && !mayPush)) return createGitFailure(403, "Git may not do this here.");
  const [project, isAlive] = await Promise.all([findProject(env.DB, projectId), isTokenAlive(env, token)]);
  if (!isAlive) return createGitFailure(403, token.turnId === null ? "This sandbox is gone." : "This turn is over.");
  if (!project) return createGitFailure(404, "The project has been deleted.");
  const remote = await getGitRemote(env, project);
  if (isRefusal(remote)) return createGitFailure(502, remote.message);
  const body = createGitBody(request);
  if (body === null) return createGitFailure(415, "Only gzip is understood.");
  const asked = { ...operation, headers: gitHeaders(request.headers) };
  if (operation.method === "GET") return await forwardGit(remote, { ...asked, body: null });
  if (!isPush) return await passFetch(remote, asked, body);
  return await passPush(env, {
    branch: token.branch,
    sessionId: token.owner?.id ?? "",
    remote,
    body,
    headers: asked.headers,
  });
}

/** Returns the operation of a request; null for anything but the three of smart HTTP. */
function createOperation(request: Request, path: string): { method: "GET" | "POST"; path: string } | null {
  if (services.includes(path)) return { method: "POST", path };
  const service = new URL(request.url).searchParams.get("service");
  if (path !== "info/refs" || !service || !services.includes(service)) return null;
  return { method: "GET", path: `info/refs?service=${service}` };
}

/** Forwards only known protocol versions. The header could carry anything else. */
function gitHeaders(from: Headers): Headers {
  const headers = new Headers(from);
  if (!/^version=[0-2]$/.test(from.get("git-protocol") ?? "")) headers.delete("git-protocol");
  return headers;
}

/**
 * Forwards a fetch after its request has arrived completely. The code host starts its response
 * before it has read the request, so it would end a request that is too long without a message.
 */
async function passFetch(
  remote: GitRemote,
  asked: Pick<GitRequest, "method" | "path" | "headers">,
  { bytes, discardRest }: GitBody,
): Promise<Response> {
  const reader = createByteReader(bytes, bodyMemory, fetchRequestBytes + 1);
  try {
    const { length } = await reader.slice(0, fetchRequestBytes + 1);
    if (length <= fetchRequestBytes) return await forwardGit(remote, { ...asked, body: reader.whole() });
    await discardRest();
    return createFetchFailure(
      `what this fetch says about its commits takes more than ${fetchRequestBytes / 1_048_576} MiB: fetch fewer branches at a time`,
    );
  } catch (error) {
    const refusal = findStreamRefusal(error);
    if (refusal === null) throw error;
    await discardRest();
    return createGitFailure(503, refusal.message);
  } finally {
    reader.drop();
  }
}

interface Push {
  branch: string;
  sessionId: string;
  remote: GitRemote;
  body: GitBody;
  headers: Headers;
}

async function passPush(env: Env, push: Push): Promise<Response> {
  const reader = createByteReader(push.body.bytes, bodyMemory);
  try {
    const head = await readPushHead(reader);
    if (!head) return createGitFailure(400, "This push could not be read, or is signed, which is not forwarded.");
    const post = { method: "POST" as const, path: "git-receive-pack", headers: push.headers };
    const [command] = head.commands;
    // Git sends an empty push to check its access before a large one.
    if (!command) return await forwardGit(push.remote, { ...post, body: new Blob(["0000"]).stream() });
    const refusal = checkPush(head, push.branch) ?? (await findLoss(env, push.sessionId, { reader, head, command }));
    if (refusal !== null) return await refusePush(push.body, head, refusal);
    const answer = await forwardGit(push.remote, { ...post, body: reader.whole() });
    if (answer.status !== 200 || answer.body === null) return answer;
    const noted = watchReport(head, command, async () => {
      const { oldId, newId } = command;
      await getSessionObject(env, push.sessionId).branchHeads({ oldId, newId });
    });
    return new Response(answer.body.pipeThrough(explainReport(head, explainWorkflows)).pipeThrough(noted), answer);
  } catch (error) {
    const refusal = findStreamRefusal(error);
    if (refusal === null) throw error;
    await push.body.discardRest();
    return createGitFailure(503, refusal.message);
  } finally {
    reader.drop();
  }
}

async function refusePush(body: GitBody, head: PushHead, reason: string): Promise<Response> {
  await body.discardRest();
  if (!isReportWanted(head)) return createGitFailure(403, reason);
  const type = "application/x-git-receive-pack-result";
  return new Response(formatRefusalReport(head, reason), {
    headers: { "cache-control": "no-store", "content-type": type },
  });
}

/**
 * Records the push, and returns the reason to refuse it if it would drop commits of others; null if
 * it does not.
 */
async function findLoss(
  env: Env,
  sessionId: string,
  { reader, head, command }: { reader: ByteReader; head: PushHead; command: PushCommand },
): Promise<string | null> {
  const { oldId, newId } = command;
  const toKeep = findCommitsToKeep(await getSessionObject(env, sessionId).attemptPush({ oldId, newId }), command);
  if (toKeep === null) return null;
  const pushed = { commit: command.newId, ancestors: toKeep };
  switch (await readAncestry(reader, bodyMemory, head.length, pushed)) {
    case "builds-on":
      return null;
    case "does-not":
      return "others have pushed to this branch: fetch it and build on their commits";
    case "too-long":
      return (
        `this push has more than ${commitsMax.toLocaleString("en")} commits, or ` +
        `${pushInspectionBytes / 1_048_576} MiB of them, on a branch with commits of others: push the older ones first`
      );
    case "unreadable":
      return "the commits of this push could not be read: its pack is damaged";
  }
}
