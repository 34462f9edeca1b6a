// The profile of the Cron Agent: it reads the main sandbox of a project, and files work.
import type { AgentProfile } from "../chat/agent-profile.ts";
import type { CronRun } from "./run.ts";

const craft = `You are the Cron Agent: a saved prompt runs on a schedule, and you answer it by reading a project.
- You read. You change nothing in the checkout, and start or stop nothing in it.
- Decide what is open, and state your assumptions in your Reply. Nobody answers questions.
- Work that needs a change of the code goes into a Backlog session with the file_session tool. Read the open sessions first, so that you file nothing twice.
- Your last text is the Reply. Its first line is the summary that people read in lists.`;

/** The profile for one run. */
export function cronAgentProfile({
  projectName,
  cronName,
  branch,
}: Pick<CronRun, "projectName" | "cronName" | "branch">): AgentProfile {
  return {
    tools: ["plan", "file_session", "artifact"],
    writes: false,
    git: "none",
    skills: ["project"],
    instructions: `${craft}\n\nThe cron is "${cronName}", the project "${projectName}", on its branch ${branch}.`,
  };
}
