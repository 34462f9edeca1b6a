// The ship tool: pushes the commits and has the service merge them. The session ends with its pull
// request, and uncommitted work would be lost, so the tool refuses while there is any.

import type { Folders } from "../../folders.ts";
import { pushBranch } from "../../git/commit-and-push.ts";
import { git } from "../../git/git-command.ts";
import type { AgentTool } from "../agent.ts";
import { runServiceTask, type ServiceEndpoint } from "./service-task.ts";

export interface ShipAccess {
  folders: Folders;
  endpoint: ServiceEndpoint;
  gitToken: string;
}

const shownFiles = 10;

/** The ship tool of a turn. */
export function createShipTool({ folders, endpoint, gitToken }: ShipAccess): AgentTool {
  return {
    name: "ship",
    label: "Ship",
    description:
      "Merge the open pull request of this session's branch, immediately or as soon as its checks have passed. Commits are pushed first; with " +
      "uncommitted changes nothing is shipped.",
    parameters: { type: "object", properties: {} },
    async run(_input, signal) {
      const left = (await git(folders, ["status", "--porcelain"])).trim().split("\n").filter(Boolean);
      if (left.length > 0) {
        const more = left.length > shownFiles ? `\nand ${left.length - shownFiles} more` : "";
        throw new Error(
          `Nothing was shipped, because these changes are not committed, and would be left out:\n${left.slice(0, shownFiles).join("\n")}${more}`,
        );
      }
      await pushBranch(folders, { token: gitToken }, signal);
      const sha = (await git(folders, ["rev-parse", "HEAD"])).trim();
      return await runServiceTask(endpoint, "ship", { sha }, signal);
    },
  };
}
