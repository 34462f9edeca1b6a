// The agent's tools that the service runs itself, because their effects need its credentials or its
// rules. Sandboxes call them during a turn.
import * as z from "zod";
import { getProjectObject, getTurnOwnerObject } from "../../durable-objects/address.ts";
import type { SettingsForAgent } from "../../durable-objects/project/rpc.ts";
import { recordAuditEvent } from "../audit/record.ts";
import { planBranchSync } from "../checkout/plan-branch-sync.ts";
import type { BranchSyncPlan } from "../checkout/rules/sync.ts";
import type { Env } from "../env.ts";
import { readJson } from "../http/body.ts";
import { networkBody } from "../network/wire.ts";
import { settingsBody } from "../project/wire.ts";
import { resultDepth } from "../rules/limits.ts";
import { formatSentence, isRefusal, type Refusal, refusals, refuse } from "../rules/refusal.ts";
import { getLiveTurn, type TurnToken } from "../sandbox/token.ts";
import type { ProductToolName, ToolAnswer } from "./rules/agent-profile.ts";
import { isObject, isTooDeep } from "./rules/result-schema.ts";

type Tool = (
  env: Env,
  turn: TurnToken,
  input: Record<string, unknown>,
) => Promise<ToolAnswer | BranchSyncPlan | SettingsForAgent | Refusal>;

const inputBytes = 512 * 1_024;

const draftSchema = z.object({
  title: z
    .string()
    .trim()
    .min(1)
    .transform((title) => title.replace(/\s+/g, " ").slice(0, 256)),
  body: z.string(),
  reviewers: z
    .array(z.string())
    .max(20)
    .nullish()
    .transform((names) => names ?? null),
  base: z
    .string()
    .nullish()
    .transform((base) => base ?? null),
});

const settingsChange = settingsBody
  .pick({ setup: true, services: true, env: true })
  .partial()
  .extend({ proposedNetwork: networkBody.optional() });

/** The errors of an input as text, field by field. */
function inWords(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  return issues.map(({ path, message }) => formatSentence(path.join("."), message)).join(" ");
}

/** The calls by the last segment of their path, each with the agent's tool that it belongs to. */
const calls: Record<string, { tool: ProductToolName; run: Tool }> = {
  "open-pull-request": {
    tool: "open_pull_request",
    async run(env, { owner, turnId }, input) {
      const draft = z.safeParse(draftSchema, input);
      if (!draft.success) return refuse("BAD_REQUEST", "Give a `title` of one line and a `body`.");
      return await getTurnOwnerObject(env, owner).runTool(turnId, { tool: "open-pull-request", draft: draft.data });
    },
  },
  ship: {
    tool: "ship",
    async run(env, { owner, turnId }, { sha }) {
      if (typeof sha !== "string" || !/^[0-9a-f]{40,64}$/.test(sha))
        return refuse("BAD_REQUEST", "Give the `sha` to ship.");
      return await getTurnOwnerObject(env, owner).runTool(turnId, { tool: "ship", sha });
    },
  },
  "project-settings": {
    tool: "project_settings",
    async run(env, { owner, turnId, generation }, input) {
      const change = z.safeParse(settingsChange, input);
      if (!change.success) return refuse("BAD_REQUEST", inWords(change.error.issues));
      return await getProjectObject(env, owner.id).settingsForAgent({ turnId, generation }, change.data);
    },
  },
  "submit-result": {
    tool: "submit_result",
    async run(env, { owner, turnId }, { result }) {
      if (!isObject(result)) return refuse("BAD_REQUEST", "The result is a JSON object.");
      if (isTooDeep(result)) return refuse("BAD_REQUEST", `The result is nested deeper than ${resultDepth} levels.`);
      return await getTurnOwnerObject(env, owner).runTool(turnId, {
        tool: "submit-result",
        result: JSON.stringify(result),
      });
    },
  },
  "branch-sync-plan": {
    tool: "sync_branch",
    run: planBranchSync,
  },
  "branch-synced": { tool: "sync_branch", run: recordSynced },
};

/** Compares the branch immediately instead of waiting for the webhook of the push. */
async function recordSynced(env: Env, { owner }: TurnToken): Promise<ToolAnswer | Refusal> {
  const refusal = await getTurnOwnerObject(env, owner).handleEvent({ type: "branch" });
  return refusal ?? { text: "The service now checks the state of the branch.", questions: null };
}

/** Handles `POST /internal/tools/<name>`. */
export async function handleToolCall(request: Request, env: Env, name: string): Promise<Response> {
  const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
  const turn = await getLiveTurn(request, env, call?.tool);
  if (turn instanceof Response) return turn;
  if (!call) return refused(refuse("NOT_FOUND", "There is no such tool."));
  const input = await readInput(request);
  const answer = isRefusal(input) ? input : await call.run(env, turn, input.fields);
  if (!isRefusal(input) && !isRefusal(answer) && isAuditedTool(call.tool, input.fields))
    await recordTool(env, turn, call.tool);
  return isRefusal(answer) ? refused(answer) : Response.json(answer);
}

/** True for a call that merges, or that writes settings or proposes a network. */
function isAuditedTool(tool: ProductToolName, fields: Record<string, unknown>): boolean {
  const writes = Object.keys(settingsChange.shape).some((name) => Object.hasOwn(fields, name));
  return tool === "ship" || (tool === "project_settings" && writes);
}

async function recordTool(env: Env, turn: TurnToken, tool: ProductToolName): Promise<void> {
  const { owner, workspaceId, projectId, turnId, memberId } = turn;
  const sessionId = owner.type === "session" ? owner.id : null;
  await recordAuditEvent(
    env,
    { workspaceId },
    {
      ...{ at: Date.now(), operation: `agent.${tool}`, via: "agent", keyId: null, address: null },
      actor: { kind: "agent", sessionId, userId: memberId ?? null },
      target: { projectId, ...(sessionId && { sessionId }), jobId: turnId },
    },
  );
}

/**
 * The response lists every invalid field, so that the agent can correct all of them in one attempt.
 */
function refused({ code, message, details }: Refusal): Response {
  const mistakes = z.safeParse(z.array(z.object({ path: z.string(), message: z.string() })), details);
  const text = mistakes.success ? mistakes.data.map((one) => formatSentence(one.path, one.message)).join(" ") : message;
  return new Response(text, { status: refusals[code].status });
}

async function readInput(request: Request): Promise<{ fields: Record<string, unknown> } | Refusal> {
  const read = await readJson(request, inputBytes);
  if (isRefusal(read)) {
    const isTooLong = read.code === "PAYLOAD_TOO_LARGE";
    return isTooLong ? refuse("PAYLOAD_TOO_LARGE", "The input is too long: a tool takes at most 512 KB.") : read;
  }
  const fields = z.safeParse(z.record(z.string(), z.unknown()), read.json);
  return fields.success ? { fields: fields.data } : refuse("BAD_REQUEST", "The input of a tool is a JSON object.");
}
