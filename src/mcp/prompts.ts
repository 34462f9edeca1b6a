// Prompts: what a person chooses in a client, to have their agent do it with the tools.
import { completable, type McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { isRefusal } from "../rules/refusal.ts";
import type { Api } from "./api.ts";
import { listSessionIds } from "./resources.ts";

/** Adds the prompts. `open` creates the calls of the client. */
export function addPrompts(server: McpServer, open: () => Api): void {
  const project = z.string().describe("The project: its name, `owner/name` of its repository, or its id.");
  const branch = z.string().describe("The branch of your work.");
  const session = z.string().optional().describe("A session. Without one, all that need you.");

  server.registerPrompt(
    "hand_over",
    {
      title: "Hand over a branch",
      description: "A branch that you work on becomes a session, whose agent continues.",
      argsSchema: z.object({
        project: completable(project, (value) => completeProject(open(), value)),
        branch,
        task: z.string().optional().describe("What is left to do. Without it, your agent says it."),
      }),
    },
    (given) => toMessages(formatHandOver(given)),
  );
  server.registerPrompt(
    "catch_me_up",
    {
      title: "Catch me up",
      description: "What happened in your sessions, and what they need from you.",
      argsSchema: z.object({ session: completable(session, (value) => listSessionIds(open(), value ?? "")) }),
    },
    ({ session: named }) => toMessages(formatCatchUp(named)),
  );
}

const toMessages = (text: string) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
});

interface HandOver {
  project: string;
  branch: string;
  task?: string | undefined;
}

function formatHandOver({ project, branch, task }: HandOver): string {
  return [
    `Hand the work on the branch \`${branch}\` over to a session of the Switchyard project \`${project}\`.`,
    "",
    "1. Commit the work, and push the branch. If you cannot push, stop and say so.",
    `2. Call start_session with the target branch \`${branch}\`. Its agent knows nothing of this conversation: the prompt says what is done, left and decided, and how to test it.`,
    `3. What is left: ${task ?? "derive it from this conversation, and show it to me first."}`,
    "4. Give me the address of the session. Do not wait for it unless I ask.",
  ].join("\n");
}

function formatCatchUp(session: string | undefined): string {
  const first =
    session === undefined
      ? "1. Call list_sessions with needs_you, and once more without it. Leave out what has not changed for a day."
      : `1. Call get_session for \`${session}\`, and read_messages where that is not enough.`;
  return [
    "Catch me up on my work at Switchyard. Change nothing.",
    "",
    first,
    "2. Say for each session what was asked, what is done, and what is open.",
    "3. End with what needs me, the most urgent first. For a question, name the options, and wait for my answer.",
  ].join("\n");
}

async function completeProject(api: Api, value: string): Promise<string[]> {
  const projects = await api.call<{ name: string; repository: string }[]>("listProjects", {
    query: { pageSize: "100" },
  });
  if (isRefusal(projects)) return [];
  const wanted = value.toLowerCase();
  return projects
    .map(({ name, repository }) => (wanted.includes("/") ? repository : name))
    .filter((one) => one.toLowerCase().startsWith(wanted));
}
