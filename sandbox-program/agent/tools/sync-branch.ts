// The sync_branch tool: merges the base of the pull request, or the Target Branch, into the
// session's branch, or rebases onto it. Conflicts are resolved only after the user has chosen how.
import { createConflictQuestion, isRebaseRequest, resolutions } from "../../../src/checkout/rules/sync.ts";
import type { TurnStart } from "../../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../../folders.ts";
import { commitSync, type SyncOutcome, syncBranch } from "../../git/branch/sync.ts";
import { toFields } from "../../http/unknown-fields.ts";
import type { Services } from "../../services/services.ts";
import type { AgentTool, AgentToolAnswer } from "../agent.ts";
import { runAfterSync } from "../sync/after-sync.ts";
import { findResolutionToApply } from "../sync/answer.ts";
import { fetchSyncPlan } from "../sync/plan.ts";
import type { ServiceEndpoint } from "./service-task.ts";

export interface SyncAccess {
  folders: Folders;
  endpoint: ServiceEndpoint;
  gitToken: string;
  services: Pick<Services, "apply">;
  turn: { id: string; message: string; answers: TurnStart["answers"] };
}

/** The sync_branch tool of a turn. */
export function createSyncBranchTool({ folders, endpoint, gitToken, services, turn }: SyncAccess): AgentTool {
  return {
    name: "sync_branch",
    label: "Sync branch",
    description:
      "Bring the base of the open pull request, or the Target Branch, into this session's branch: fetch, merge or rebase, push where that is " +
      "wanted, setup and services. Where the branches conflict it asks the user, which ends your turn; nothing is changed until they answer.",
    parameters: {
      type: "object",
      properties: {
        rebase: { type: "boolean", description: "True only when the user asked for a rebase" },
        resolution: {
          type: "string",
          enum: [...resolutions],
          description:
            "Only when the user has answered the question about conflicts: `branch` keeps this branch's version, `base` takes the other's, " +
            "`by-hand` marks the conflicts in the files for you to settle as they said",
        },
        finish: {
          type: "boolean",
          description: "True when you have settled the marked conflicts, to commit the merge",
        },
      },
    },
    async run(input, signal) {
      const { rebase, resolution, finish } = toFields(input);
      const plan = await fetchSyncPlan(endpoint, signal);
      const understood = resolutions.find((known) => known === resolution) ?? null;
      const outcome =
        finish === true
          ? await commitSync(folders)
          : await syncBranch(folders, {
              base: plan.base,
              token: gitToken,
              turnId: turn.id,
              rebase: rebase === true && isRebaseRequest(turn.message),
              resolution: findResolutionToApply(folders, turn.answers, understood),
              signal,
            });
      if (outcome.status !== "synced") return toToolAnswer(outcome, plan.base);
      const sentences = await runAfterSync({ folders, services, plan, gitToken, endpoint, signal }, outcome);
      return { text: sentences.join(" "), endsTurn: false, event: null };
    },
  };
}

function toToolAnswer(outcome: Exclude<SyncOutcome, { status: "synced" }>, base: string): AgentToolAnswer {
  switch (outcome.status) {
    case "up-to-date":
      return { text: `The branch already has everything of ${base}.`, endsTurn: false, event: null };
    case "by-hand":
      return {
        text: `The conflicts are marked in ${outcome.conflicts.join(", ")}. Settle each as the user said, then call this tool with \`finish\`.`,
        endsTurn: false,
        event: null,
      };
    case "conflict":
      return {
        text: "The user is asked how to resolve the conflicts. Nothing has been changed.",
        endsTurn: true,
        event: { type: "clarification", questions: [createConflictQuestion(base, outcome.conflicts)] },
      };
  }
}
