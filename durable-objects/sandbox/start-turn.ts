// Hands a turn to the sandbox program, with tokens for this generation only.

import { withPluginAddresses, withSkillAddresses } from "../../src/chat/turn-assets.ts";
import type { Env } from "../../src/env.ts";
import { toModelGrant } from "../../src/model/turn-model.ts";
import { listVariableValues, type ProjectSettings } from "../../src/project/rules/settings.ts";
import { longestTurnMs } from "../../src/rules/limits.ts";
import type { ProgramClient } from "../../src/sandbox/program/client.ts";
import { SandboxBroke } from "../../src/sandbox/program/driver.ts";
import type { Sandbox } from "../../src/sandbox/rules/lifecycle.ts";
import { issueToken, type SandboxToken } from "../../src/sandbox/token.ts";
import type { TurnHandover, TurnRequest } from "../../src/sandbox/turn-request.ts";
import type { TurnStart } from "../../src/sandbox-protocol/protocol.ts";
import { getTurnOwnerObject } from "../address.ts";
import { getWantedCheckout } from "./settings.ts";

interface Taker {
  key: string;
  sandbox: Sandbox;
  program: ProgramClient;
  request: TurnRequest;
  /** The settings that the sandbox works with; null if its project is gone. */
  settings(): Promise<ProjectSettings | null>;
  /** Keeps the sandbox from going idle until the turn is released. */
  hold(): void;
}

const unrepaired =
  "The project's folder is no longer a git repository, and it could not be restored. Send the message again.";

/** Returned if the program is about to end and starts no more turns. */
export const leaving = Symbol("leaving");

/**
 * Starts a turn in a running program. Throws if the program does not respond, or cannot take the
 * turn yet.
 */
export async function startTurnInProgram(env: Env, taker: Taker): Promise<TurnHandover | typeof leaving> {
  const { key, sandbox, program, request } = taker;
  const { owner, sandboxOwner } = request;
  const { workspaceId, projectId, branch } = sandboxOwner;
  const claim = { turnId: request.turnId, generation: sandbox.generation };
  const runningAt = Date.now();
  const claims: SandboxToken = {
    workspaceId,
    projectId,
    owner,
    branch,
    git: request.profile.git,
    sandboxKey: key,
    model: toModelGrant(request.model),
    payer: request.payer,
    ...claim,
  };
  // The gateways check at every use whether the turn is live. The lifetime only limits a token if
  // the end of its turn was lost.
  const expiresAt = Date.now() + longestTurnMs;
  const [isLive, token, gitToken, settings, skills, plugins] = await Promise.all([
    getTurnOwnerObject(env, owner).isTurnLive(claim),
    issueToken(env, claims, expiresAt),
    issueToken(env, { ...claims, isForGit: true }, expiresAt),
    taker.settings(),
    withSkillAddresses(env, request, expiresAt),
    withPluginAddresses(env, request, expiresAt),
  ]);
  if (!isLive) {
    // The turn was stopped while the sandbox started. Holding the sandbox for it now would keep the
    // sandbox awake forever.
    return { taken: false, conversationMissing: false, error: "The turn was over before it could start." };
  }
  taker.hold();
  const projectEnv = settings?.env ?? {};
  const start: TurnStart = {
    turnId: request.turnId,
    link: { url: `${env.SANDBOX_TO_SERVICE_URL.replace(/^http/, "ws")}/internal/turn-link`, token },
    model: {
      ...request.model,
      baseUrl: `${env.SANDBOX_TO_SERVICE_URL}/internal/models/${request.model.provider}`,
      token,
    },
    git: { token: gitToken },
    targetBranch: sandboxOwner.baseBranch,
    prompt: request.prompt,
    skill: request.skill,
    skills,
    plugins,
    answers: request.answers,
    profile: request.profile,
    attachments: request.attachments,
    outputsUrl: `${env.SANDBOX_TO_SERVICE_URL}/internal/outputs`,
    toolsUrl: `${env.SANDBOX_TO_SERVICE_URL}/internal/tools`,
    artifactsUrl: `${env.SANDBOX_TO_SERVICE_URL}/internal/artifacts`,
    api: { url: env.SANDBOX_TO_SERVICE_URL, token: request.agentToken, projectId },
    conversation: request.conversation,
    env: projectEnv,
    secretNames: Object.keys(projectEnv),
    secrets: listVariableValues({ env: {}, services: settings?.services ?? [] }),
  };
  const requestedAt = Date.now();
  let answer = await handOver(program, start);
  if (!answer.ok && answer.refusal.code === "NO_CHECKOUT" && settings && request.profile.writes) {
    // An earlier turn has deleted the repository. It is restored around the files, unless this turn
    // only reads.
    const wanted = await getWantedCheckout(env, { key, owner: sandboxOwner, generation: sandbox.generation }, settings);
    const checkout = await program.checkout(wanted);
    const reason = checkout.ok ? checkout.value.unrepaired : checkout.refusal.message;
    if (reason !== undefined) return { taken: false, conversationMissing: false, error: `${unrepaired} ${reason}` };
    answer = await handOver(program, start);
  }
  if (answer.ok) return { taken: true, phases: { runningAt, credentialsReadyAt: requestedAt, requestedAt } };
  if (answer.refusal.code === "CONVERSATION_MISSING") return { taken: false, conversationMissing: true };
  if (answer.refusal.code === "LEAVING") return leaving;
  // Either another turn was stopped during the handover and is still ending, or the limit of
  // reading turns is reached.
  if (answer.refusal.code === "TURN_RUNNING") throw new Error(`the sandbox is busy: ${answer.refusal.message}`);
  return { taken: false, conversationMissing: false, error: answer.refusal.message };
}

/**
 * Asks once more if the program died during the call. A new program takes the turn; otherwise the
 * sandbox is gone.
 */
async function handOver(program: ProgramClient, start: TurnStart) {
  try {
    return await program.startTurn(start);
  } catch (error) {
    if (!(error instanceof SandboxBroke)) throw error;
    // A program that is still alive already has the turn, and confirms it again.
    return await program.startTurn(start);
  }
}
