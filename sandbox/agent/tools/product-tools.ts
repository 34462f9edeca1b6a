// The product's own tools: those that every turn offers, and those of the turns of a skill.
import type { TurnStart } from "../../../src/sandbox/protocol.ts";
import { createRedaction } from "../../transcript/redaction.ts";
import type { AgentTool } from "../agent.ts";
import { type ArtifactAccess, artifactTool } from "./artifact.ts";
import { askTool } from "./ask.ts";
import { fileSessionTool } from "./file-session.ts";
import { openPullRequestTool, type PullRequestAccess } from "./open-pull-request.ts";
import { planTool } from "./plan.ts";
import { shipTool } from "./ship.ts";
import { type SyncAccess, syncBranchTool } from "./sync-branch.ts";

/** What the tools of a turn reach of the service. */
export interface ServiceAccess {
  api: TurnStart["api"];
  artifacts: ArtifactAccess;
}

/** The tools of every turn; they may call the service so. */
export const productTools = ({ api, artifacts }: ServiceAccess): AgentTool[] => [
  planTool,
  askTool,
  fileSessionTool(api),
  artifactTool(artifacts),
];

/** The tools that a turn offers because the service says so. */
export const offeredTools = (names: string[], access: PullRequestAccess & SyncAccess): AgentTool[] =>
  [openPullRequestTool(access), syncBranchTool(access), shipTool(access)].filter(({ name }) => names.includes(name));

/** For the tools as they are described, where none is run. */
export const noService: ServiceAccess = {
  api: { url: "", token: "", projectId: "" },
  artifacts: { url: "", token: "", project: "", redaction: createRedaction([]) },
};

/** Their names. Each shows what it did in a block of its own kind. */
export const productToolNames: ReadonlySet<string> = new Set(productTools(noService).map(({ name }) => name));
