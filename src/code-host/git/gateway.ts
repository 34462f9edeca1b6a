// The git gateway, which a sandbox uses as its remote. It allows fetches of the project, and pushes to the session's own branch that remove no
// commits of others. It adds the code host's token, which is never sent to a sandbox.
import { sessionObject } from "../../../durable-objects/address.ts";
import type { Env } from "../../env.ts";
import { commitsToKeep, isNoCommit } from "../../rules/branch/push.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { isTokenAlive } from "../../sandbox/check-sandbox-token.ts";
import { readToken } from "../../sandbox/sandbox-token.ts";
import { findProject } from "../../storage/queries/projects.ts";
import { type GitRemote, gitRemote } from "../code-host.ts";
import { type ByteReader, readBytes } from "./byte-reader.ts";
import { explainReport, explainWorkflows } from "./explain-report.ts";
import { forwardGit, gitFailure } from "./forward.ts";
import { buildsOn } from "./pack-commits.ts";
import { type PushCommand, type PushHead, readPushHead } from "./push-commands.ts";
import { refusalReport, wantsReport, watchReport } from "./push-report.ts";

const services = ["git-upload-pack", "git-receive-pack"];

/** Handles `/internal/git/<project id>.git/<operation>`. */
export async function handleGitRequest(request: Request, env: Env, projectId: string, path: string): Promise<Response> {
  const operation = operationOf(request, path);
  if (!operation) return gitFailure(404, "The git gateway speaks smart HTTP only.");
  if (request.method !== operation.method) return gitFailure(405, `This takes ${operation.method} only.`);
  const token = await readToken(env, request.headers, Date.now());
  if (token?.projectId !== projectId) return gitFailure(401, "No valid token for this repository.");
  const isPush = operation.path.includes("git-receive-pack");
  // Only a session has a branch of its own: a main sandbox and a spare push nothing, whatever their token says.
  const mayPush = token.git === "push" && token.owner?.type === "session";
  if (token.git === "none" || (isPush && !mayPush)) return gitFailure(403, "Git may not do this here.");
  const [project, isAlive] = await Promise.all([findProject(env.DB, projectId), isTokenAlive(env, token)]);
  if (!isAlive) return gitFailure(403, token.turnId === null ? "This sandbox is gone." : "This turn is over.");
  if (!project) return gitFailure(404, "The project has been deleted.");
  const remote = await gitRemote(env, project);
  if (isRefusal(remote)) return gitFailure(502, remote.message);
  const body = decompressed(request);
  if (body === "unreadable") return gitFailure(415, "Only gzip is understood.");
  const asked = { ...operation, headers: gitHeaders(request.headers) };
  if (operation.path !== "git-receive-pack") return await forwardGit(remote, { ...asked, body });
  return await passPush(env, {
    branch: token.branch,
    sessionId: token.owner?.id ?? "",
    remote,
    body: readBytes(body ?? new Blob([]).stream()),
    headers: asked.headers,
  });
}

/** Returns the operation of a request; null for anything but the three of smart HTTP. */
function operationOf(request: Request, path: string): { method: "GET" | "POST"; path: string } | null {
  if (services.includes(path)) return { method: "POST", path };
  const service = new URL(request.url).searchParams.get("service");
  if (path !== "info/refs" || !service || !services.includes(service)) return null;
  return { method: "GET", path: `info/refs?service=${service}` };
}

/** Decompresses the body: pushes are inspected, and git compresses the requests of its fetches. */
function decompressed({ headers, body }: Request): ReadableStream<Uint8Array> | null | "unreadable" {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity" || body === null) return body;
  if (encoding !== "gzip" && encoding !== "x-gzip") return "unreadable";
  return body.pipeThrough(new DecompressionStream("gzip"));
}

/** Forwards only known protocol versions. The header could carry anything else. */
function gitHeaders(from: Headers): Headers {
  const headers = new Headers(from);
  if (!/^version=[0-2]$/.test(from.get("git-protocol") ?? "")) headers.delete("git-protocol");
  return headers;
}

interface Push {
  branch: string;
  sessionId: string;
  remote: GitRemote;
  body: ByteReader;
  headers: Headers;
}

async function passPush(env: Env, { branch, sessionId, remote, body, headers }: Push): Promise<Response> {
  const head = await readPushHead(body);
  if (!head) return gitFailure(400, "This push could not be read, or is signed, which is not passed on.");
  const post = { method: "POST" as const, path: "git-receive-pack", headers };
  const [command] = head.commands;
  // Git sends an empty push to check its access before a large one.
  if (!command) return await forwardGit(remote, { ...post, body: new Blob(["0000"]).stream() });
  const refusal = refusalOf(head, branch) ?? (await lossIn(env, { sessionId, body, head, command }));
  if (refusal !== null) {
    await body.drain();
    if (!wantsReport(head)) return gitFailure(403, refusal);
    const type = "application/x-git-receive-pack-result";
    return new Response(refusalReport(head, refusal), {
      headers: { "cache-control": "no-store", "content-type": type },
    });
  }
  const answer = await forwardGit(remote, { ...post, body: body.whole() });
  if (answer.status !== 200 || answer.body === null) return answer;
  const noted = watchReport(head, command, async () => {
    const { oldId, newId } = command;
    await sessionObject(env, sessionId).branchHeads({ oldId, newId });
  });
  return new Response(answer.body.pipeThrough(explainReport(head, explainWorkflows)).pipeThrough(noted), answer);
}

/** Returns the reason to refuse a push that updates anything but the session's own branch; null if it does not. */
function refusalOf({ commands, capabilities }: PushHead, branch: string): string | null {
  const own = `refs/heads/${branch}`;
  const onlyOwn = `only ${branch} can be pushed from here`;
  if (commands.some(({ ref }) => ref !== own)) return onlyOwn;
  if (commands.some(({ newId }) => isNoCommit(newId))) return `${onlyOwn}, and not deleted`;
  if (commands.length > 1) return `${onlyOwn}, and once in a push`;
  if (capabilities.includes("push-options")) return "push options are not passed on";
  return null;
}

/** Returns the reason to refuse a push that would remove commits of others; null if it does not. */
async function lossIn(
  env: Env,
  { sessionId, body, head, command }: Pick<Push, "sessionId" | "body"> & { head: PushHead; command: PushCommand },
): Promise<string | null> {
  const toKeep = commitsToKeep(await sessionObject(env, sessionId).branchHeads(null), command);
  if (toKeep === null) return null;
  if (await buildsOn(body, head.length, { commit: command.newId, ancestors: toKeep })) return null;
  return "others have pushed to this branch: fetch it and build on their commits";
}
