// The product's tools, by the names that a profile lists.
import type { ProductToolName } from "../../../src/chat/rules/agent-profile.ts";
import { createRedaction } from "../../../src/rules/redaction.ts";
import type { TurnStart } from "../../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../../folders.ts";
import { createProcessFamily } from "../../process/process-family.ts";
import type { Services } from "../../services/services.ts";
import type { AgentTool } from "../agent.ts";
import { openProjectAccess } from "../file-access.ts";
import { type ArtifactAccess, artifactTool } from "./artifact.ts";
import { askTool } from "./ask.ts";
import { fileSessionTool } from "./file-session.ts";
import { openPullRequestTool, type PullRequestAccess } from "./open-pull-request.ts";
import { planTool } from "./plan.ts";
import { createProjectSettingsTool, type SettingsAccess } from "./project-settings.ts";
import { apiTool } from "./reading/api.ts";
import { findFilesTool, searchTool } from "./reading/find-files.ts";
import { gitTool } from "./reading/git.ts";
import { serviceLogsTool } from "./reading/service-logs.ts";
import { type ShipAccess, shipTool } from "./ship.ts";
import { type SyncAccess, syncBranchTool } from "./sync-branch.ts";

/** The parts of the service and the sandbox that the tools of a turn use. */
export interface ToolAccess extends PullRequestAccess, Omit<SyncAccess, "services">, ShipAccess, SettingsAccess {
  api: TurnStart["api"];
  services: Services;
  artifacts: ArtifactAccess;
}

const tools: Record<ProductToolName, (access: ToolAccess) => AgentTool> = {
  plan: () => planTool,
  ask: () => askTool,
  file_session: ({ api }) => fileSessionTool(api),
  artifact: ({ artifacts }) => artifactTool(artifacts),
  open_pull_request: openPullRequestTool,
  sync_branch: syncBranchTool,
  ship: shipTool,
  find_files: findFilesTool,
  search: searchTool,
  git: gitTool,
  service_logs: serviceLogsTool,
  api: apiTool,
  project_settings: createProjectSettingsTool,
};

/** The tools of these names. They act for the turn. */
export const productTools = (names: ProductToolName[], access: ToolAccess): AgentTool[] =>
  names.map((name) => tools[name](access));

/** Placeholder access for a compaction, which describes the tools to the model and runs none. */
export function noAccess(folders: Folders, services: Services): ToolAccess {
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
    artifacts: { url: "", token: "", folders, files: openProjectAccess(folders), redaction },
  };
}

/** The tools that report through a separate block type instead of a tool block. */
export const toolsWithOwnBlock: ReadonlySet<string> = new Set<ProductToolName>([
  "plan",
  "ask",
  "file_session",
  "artifact",
]);
