// The open_pull_request tool: the agent writes title and body, the service opens the pull request.
// Commits are pushed first, so that the review shows all of them.

import type { Redaction } from "../../../src/rules/redaction.ts";
import type { Folders } from "../../folders.ts";
import { commitWithin } from "../../git/base.ts";
import { pushBranch } from "../../git/commit-and-push.ts";
import { git } from "../../git/git-command.ts";
import { toFields } from "../../http/unknown-fields.ts";
import type { ProcessFamily } from "../../process/process-family.ts";
import type { AgentTool } from "../agent.ts";
import { runServiceTask, type ServiceEndpoint } from "./service-task.ts";

export interface PullRequestAccess {
  folders: Folders;
  endpoint: ServiceEndpoint;
  gitToken: string;
  redaction: Redaction;
  family: ProcessFamily;
  targetBranch: string;
}

const shownFiles = 10;

/** Opens the pull request of the session's branch, or rewrites the open one. */
export function createOpenPullRequestTool(access: PullRequestAccess): AgentTool {
  const { folders, endpoint, gitToken, redaction, family, targetBranch } = access;
  /**
   * The uncommitted changes that the agent was warned about. If they are still the same, the agent
   * leaves them out on purpose.
   */
  let warnedAbout: string | null = null;
  return {
    name: "open_pull_request",
    label: "Open pull request",
    description:
      "Open the pull request of this session's branch, or rewrite the open one, with a title and a body in Markdown. Reviewers, a draft and " +
      "evidence are the service's business: it reads the flags of the user's message. Commit and push first. It may ask the user a " +
      "question, which ends your turn.",
    parameters: {
      type: "object",
      properties: {
        title: { type: "string", description: "One line" },
        body: { type: "string", description: "Markdown" },
        reviewers: {
          type: "array",
          items: { type: "string" },
          description:
            "Only when your instructions say that the user answers a question about reviewers: whom they mean, and each name that they leave open as it was written",
        },
        base: {
          type: "string",
          description:
            "Only when your instructions say that the user answers a question about the Target Branch: the branch they chose",
        },
      },
      required: ["title", "body"],
    },
    run: async (input, signal) => {
      const left = (await git(folders, ["status", "--porcelain"], { family })).trim();
      if (left !== "" && left !== warnedAbout) {
        warnedAbout = left;
        throw new Error(
          `These changes are not committed. Commit those that belong to the work, then call again:\n${shown(left)}`,
        );
      }
      // The end of the turn needs to know what the branch contains of its target. It is read here,
      // while the push waits for the remote, so it costs no extra time.
      await Promise.all([pushBranch(folders, { token: gitToken }, signal), commitWithin(folders, targetBranch)]);
      const { title, body, reviewers, base } = redaction.value(toFields(input));
      return await runServiceTask(endpoint, "open-pull-request", { title, body, reviewers, base }, signal);
    },
  };
}

function shown(status: string): string {
  const lines = status.split("\n");
  const more = lines.length - shownFiles;
  return [...lines.slice(0, shownFiles), ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}
