// The service's comments on issues and pull requests at GitHub.
import { isRefusal, type Refusal } from "../../rules/refusal.ts";
import type { OwnComment } from "../code-host.ts";
import { type CallGithub, readPages } from "./call.ts";

interface CommentAnswer {
  id: number;
  body?: string;
  user: { login: string } | null;
}

/**
 * Writes a comment once: the answer to an earlier call may have been lost, so a comment of the same
 * account that begins with the marker is changed. Everybody reads markers on the page, so a comment
 * may contain that of another project.
 */
export async function writeComment(
  call: CallGithub,
  repository: string,
  { number, body, login, marker }: OwnComment,
  signal: AbortSignal,
): Promise<number | Refusal> {
  const path = `/repos/${repository}/issues/${number}/comments`;
  const isOwn = (one: CommentAnswer) => one.user?.login === login && one.body?.startsWith(marker);
  const found = await readPages(call, path, (answer: CommentAnswer[]) => answer, signal);
  if (isRefusal(found)) return found;
  const own = found.find(isOwn);
  if (own) return (await updateComment(call, repository, { id: own.id, body }, signal)) ?? own.id;
  const written = await call<CommentAnswer>({ method: "POST", path, body: { body }, isOnce: true }, signal);
  return isRefusal(written) ? written : written.id;
}

/** Changes a comment. Returns null on success. */
export async function updateComment(
  call: CallGithub,
  repository: string,
  { id, body }: { id: number; body: string },
  signal: AbortSignal,
): Promise<Refusal | null> {
  const path = `/repos/${repository}/issues/comments/${id}`;
  const answer = await call({ method: "PATCH", path, body: { body } }, signal);
  return isRefusal(answer) ? answer : null;
}
