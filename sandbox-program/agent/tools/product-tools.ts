// The product's tools, by the names that a profile lists.
import type { ProductToolName } from "../../../src/chat/rules/agent-profile.ts";
import { createRedaction } from "../../../src/rules/redaction.ts";
import type { TurnStart } from "../../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../../folders.ts";
import { createProcessFamily } from "../../process/process-family.ts";
import type { Services } from "../../services/services.ts";
import type { AgentTool } from "../agent.ts";
import { createProjectAccess } from "../file-access.ts";
import { type ArtifactAccess, createArtifactTool } from "./artifact.ts";
import { askTool } from "./ask-clarification.ts";
import { createFileSessionTool } from "./file-session.ts";
import { createOpenPullRequestTool, type PullRequestAccess } from "./open-pull-request.ts";
import { planTool } from "./plan.ts";
import { createProjectSettingsTool, type SettingsAccess } from "./project-settings.ts";
import { createApiTool } from "./reading/api.ts";
import { createSearchTool, findFilesTool } from "./reading/find-files.ts";
import { createGitTool } from "./reading/git.ts";
import { createServiceLogsTool } from "./reading/service-logs.ts";
import { createShipTool, type ShipAccess } from "./ship.ts";
import { createSubmitResultTool, type ResultAccess } from "./submit-result.ts";
import { createSyncBranchTool, type SyncAccess } from "./sync-branch.ts";

/** The parts of the service and the sandbox that the tools of a turn use. */
export interface ToolAccess
  extends PullRequestAccess,
    Omit<SyncAccess, "services">,
    ShipAccess,
    SettingsAccess,
    ResultAccess {
  api: TurnStart["api"];
  services: Services;
  artifacts: ArtifactAccess;
}

const tools: Record<ProductToolName, (access: ToolAccess) => AgentTool> = {
  plan: () => planTool,
  ask: () => askTool,
  file_session: ({ api, redaction }) => createFileSessionTool(api, redaction),
  artifact: ({ artifacts }) => createArtifactTool(artifacts),
  open_pull_request: createOpenPullRequestTool,
  sync_branch: createSyncBranchTool,
  ship: createShipTool,
  find_files: findFilesTool,
  search: createSearchTool,
  git: createGitTool,
  service_logs: createServiceLogsTool,
  api: createApiTool,
  project_settings: createProjectSettingsTool,
  submit_result: createSubmitResultTool,
};

/** The tools of these names. They act for the turn. */
export const createProductTools = (names: ProductToolName[], access: ToolAccess): AgentTool[] =>
  names.map((name) => tools[name](access));

/** Placeholder access for a compaction, which describes the tools to the model and runs none. */
export function createPlaceholderAccess(folders: Folders, services: Services): ToolAccess {
  const redaction = createRedaction([]);
  return {
    folders,
    services,
    redaction,
    endpoint: { url: "", token: "" },
    gitToken: "",
    family: createProcessFamily(folders, "SWITCHYARD_TURN"),
    targetBranch: "",
    turn: { id: "", message: "", answers: null },
    api: { url: "", token: "", projectId: "" },
    result: null,
    artifacts: { url: "", token: "", folders, files: createProjectAccess(folders), redaction },
  };
}

/** The tools that report through a separate block type instead of a tool block. */
export const toolsWithOwnBlock: ReadonlySet<string> = new Set<ProductToolName>([
  "plan",
  "ask",
  "file_session",
  "artifact",
]);
