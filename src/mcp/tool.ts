// What a tool of MCP is, and how tools find the session or the project that they are called for.
import * as z from "zod";
import { isUuid } from "../lib/ids.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import type { Api } from "./api.ts";
import { type SessionData, withoutPrompt } from "./rules/text.ts";

export interface ToolAnswer {
  /** For the model. */
  text: string;
  /** For programs. */
  data?: Record<string, unknown>;
}

/** What a tool is called with besides its input. */
export interface ToolCall {
  api: Api;
  /** The credential of the agent. */
  credential: string;
  /** Aborted when the agent hangs up. */
  signal: AbortSignal;
  /** Reports how long the call already takes, in seconds, to a client that asked for it. */
  progress(seconds: number): Promise<void>;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** `read` changes nothing. `expose` shows something to others, or ends work. */
  effect: "read" | "work" | "expose";
  run(input: z.infer<Input>, call: ToolCall): Promise<ToolAnswer | Refusal>;
}

/** Declares a tool. It refuses arguments that it does not have: a model may have misspelled one. */
export function createTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  const names = Object.keys(tool.input.shape).join(", ") || "none";
  const input = z.strictObject(tool.input.shape, {
    error: ({ code, keys }) =>
      code === "unrecognized_keys" ? `Unknown: ${keys}. The arguments are: ${names}.` : undefined,
  });
  return { ...tool, input, run: (given, call) => tool.run(tool.input.parse(given), call) };
}

export interface ProjectData {
  id: string;
  name: string;
  repository: string;
  targetBranch: string;
}

const projectsPerPage = 100;

/** All projects that the caller can reach. */
export async function readProjects(api: Api, page = 1): Promise<ProjectData[] | Refusal> {
  const query = { page: String(page), pageSize: String(projectsPerPage) };
  const read = await api.call<ProjectData[]>("listProjects", { query });
  if (isRefusal(read)) return read;
  // Their settings may be long.
  const found = read.map(({ id, name, repository, targetBranch }) => ({ id, name, repository, targetBranch }));
  if (read.length < projectsPerPage) return found;
  const others = await readProjects(api, page + 1);
  return isRefusal(others) ? others : [...found, ...others];
}

/** The address of a session in the console, or of its page. */
const address = /\/(?:s|chat-sessions)\/([\da-f-]{36})(?=$|[/?#])/i;

/** Finds a session by its id, the end of it, its branch, `pr:12` or its address. */
export async function findSession(api: Api, named: string): Promise<SessionData | Refusal> {
  const id = address.exec(named)?.[1] ?? named;
  if (isUuid(id)) {
    const found = await api.call<{ session: SessionData }>("findSession", { params: { sessionId: id } });
    return isRefusal(found) ? found : withoutPrompt(found.session);
  }
  const found = await api.call<SessionData[]>("searchSessions", { query: { ref: named } });
  if (isRefusal(found)) return found;
  if (!found[0])
    return refuse("NOT_FOUND", "No session has this name. `list_sessions` lists those that you can reach.");
  return withoutPrompt(found[0]);
}

/** The path parameters of a session. */
export const toParams = ({ id, projectId }: Pick<SessionData, "id" | "projectId">) => ({ projectId, sessionId: id });

/** A refusal, for a model. */
export function formatRefusal({ code, message, details }: Refusal): string {
  return `${message} (${code})${details === undefined ? "" : `\n${JSON.stringify(details)}`}`;
}
