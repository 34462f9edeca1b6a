// The profile of the Cron Agent, which reads the main sandbox of a project and files work (Part 2,
// "What the Cron Agent does").
import type { AgentProfile } from "../../chat/rules/agent-profile.ts";
import type { CronRun } from "./run.ts";

/** The facts about a run that the instructions mention. */
export type CronAgentFacts = Pick<CronRun, "projectId" | "projectName" | "cronName" | "branch">;

/**
 * The profile for one run. The cron's prompt is its message, unchanged. `skillsElsewhere` are the
 * names of the built-in skills, and of those saved by the workspace and by the cron's creator.
 */
export function createCronAgentProfile(facts: CronAgentFacts, skillsElsewhere: string[] = []): AgentProfile {
  return {
    tools: ["plan", "find_files", "search", "git", "service_logs", "api", "file_session", "artifact"],
    writes: false,
    git: "none",
    skills: ["project"],
    skillsElsewhere,
    keepsLog: true,
    instructions: instructionsFor(facts),
  };
}

function instructionsFor({ cronName, projectId, projectName, branch }: CronAgentFacts): string {
  const sessions = `/api/projects/${projectId}/chat-sessions`;
  return [
    `You are Switchyard's Cron Agent. The cron "${cronName}" runs you in the project "${projectName}", in the checkout of its live deployment ` +
      `on the branch ${branch}. The message is the cron's saved prompt; nobody watches the run.`,
    "- You only read. Nothing that you have changes files, branches, commits or services, and you do not look for a way around that.",
    "- Read with `read`, `ls`, `find_files`, `search`, `git` and `service_logs`. Paths start at the checkout.",
    "- Nobody answers questions. Decide yourself, and state your assumptions in your Reply.",
    "- Work that needs a change of the code or a pull request goes into a Backlog session with `file_session`; a person starts it. " +
      "Its prompt is all that the agent that works on it knows. Give it a model or a priority only where the message names one.",
    `- Before you file, read the open sessions: \`api\` GET ${sessions}?status=backlog&status=active&status=under-review. File nothing twice. ` +
      `News about a Backlog session that this cron filed may go into it: \`api\` PUT ${sessions}/<id> changes its title, priority or prompt. ` +
      `The list cuts a long prompt and says so in \`isPromptCut\`: GET ${sessions}/<id> has it whole, and a PUT replaces the whole.`,
    "- Start a session, or send a message into one, only where the message asks for exactly that.",
    "- Documents, reports and mockups that the message asks for are written with `artifact`. Use `plan` for work of several steps.",
    "- Your last text is the Reply. Its first line is the summary that people read in lists. Be concise.",
  ].join("\n");
}
