// The product's own tools, as every turn offers them.
import type { TurnStart } from "../src/sandbox/protocol.ts";
import type { AgentTool } from "./agent.ts";
import { askTool } from "./tools/ask.ts";
import { fileSessionTool } from "./tools/file-session.ts";
import { planTool } from "./tools/plan.ts";

/** The tools of a turn that may call the service's API so. */
export const productTools = (api: TurnStart["api"]): AgentTool[] => [planTool, askTool, fileSessionTool(api)];

/** For the tools as they are described, where none is run. */
export const noApi: TurnStart["api"] = { url: "", token: "", projectId: "" };

/** Their names. Each shows what it did in a block of its own kind. */
export const productToolNames: ReadonlySet<string> = new Set(productTools(noApi).map(({ name }) => name));
