// A repository that was renamed: GitHub leads from its old name to the new one only until another repository takes the old one.
import { isRefusal } from "../../rules/refusal.ts";
import type { CallGithub } from "./call.ts";

/** Asks once more under the repository's present name where GitHub does not find it by the one that it had. */
export function followRename(call: CallGithub, repository: string, nameNow: () => Promise<string | null>): CallGithub {
  const before = `/repos/${repository}/`;
  return async <Answer>(wanted: Parameters<CallGithub>[0], signal: AbortSignal) => {
    const answer = await call<Answer>(wanted, signal);
    if (!isRefusal(answer) || answer.code !== "NOT_FOUND" || !wanted.path.startsWith(before)) return answer;
    const name = await nameNow();
    if (name === null || name.toLowerCase() === repository.toLowerCase()) return answer;
    return await call<Answer>({ ...wanted, path: `/repos/${name}/${wanted.path.slice(before.length)}` }, signal);
  };
}
