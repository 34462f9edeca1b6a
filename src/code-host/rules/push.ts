// What a session may push through the git gateway (decisions, "Numbers").
import { isNoCommit } from "../../session/rules/branch.ts";

/** The change of one ref that a push asks for. */
export interface PushCommand {
  oldId: string;
  newId: string;
  ref: string;
}

/**
 * Returns the reason to refuse a push that updates anything but the session's own branch; null if
 * it does not.
 */
export function checkPush(
  { commands, capabilities }: { commands: readonly PushCommand[]; capabilities: readonly string[] },
  branch: string,
): string | null {
  const own = `refs/heads/${branch}`;
  const onlyOwn = `only ${branch} can be pushed from here`;
  if (commands.some(({ ref }) => ref !== own)) return onlyOwn;
  if (commands.some(({ newId }) => isNoCommit(newId))) return `${onlyOwn}, and not deleted`;
  if (commands.length > 1) return `${onlyOwn}, and once in a push`;
  if (capabilities.includes("push-options")) return "push options are not forwarded";
  return null;
}
