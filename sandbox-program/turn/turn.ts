// Runs one turn: starts the agent, converts its actions to events, and kills all of its processes
// at the end.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRedaction } from "../../src/rules/redaction.ts";
import type { PrintedText, TurnEvent, TurnOutcome, TurnStart } from "../../src/sandbox-protocol/protocol.ts";
import type { Agent, AgentEnd, AgentEvent, AgentRun } from "../agent/agent.ts";
import { createFileAccess, createProjectAccess } from "../agent/file-access.ts";
import { type TakenPlugin, updatePlugins } from "../agent/given/plugins.ts";
import { updateSkills } from "../agent/given/skills.ts";
import { findMissingCommand } from "../agent/plugins/language-servers.ts";
import { createTurnPlugins } from "../agent/plugins/turn-plugins.ts";
import { noGivens, type TurnGivens } from "../agent/skills/expansion.ts";
import { findWaitingSyncNote, listSyncReminders } from "../agent/sync/answer.ts";
import { createProductTools, toolsWithOwnBlock } from "../agent/tools/product-tools.ts";
import { listWrittenValues, projectSettingsTool, toMaskedInput } from "../agent/tools/project-settings.ts";
import { resultReminder } from "../agent/tools/submit-result.ts";
import type { Folders } from "../folders.ts";
import { commitWithin } from "../git/base.ts";
import { cancelHandMerge } from "../git/branch/hand-merge.ts";
import { deleteLocks } from "../git/locks.ts";
import { diskIsFull, isDiskFull } from "../http/refusal.ts";
import { createCommandOutput } from "../process/command-output.ts";
import { getApiEnvironment, getShellEnvironment } from "../process/shell-environment.ts";
import type { CheckoutRecord } from "../project/checkout-record.ts";
import { getLogFolder } from "../services/output-log.ts";
import type { Services } from "../services/services.ts";
import { type BlockEvent, createBlocks } from "../transcript/blocks.ts";
import { createOutputStorage } from "../transcript/long-output.ts";
import { createRunningOutputs } from "../transcript/running-outputs.ts";
import { createTurnLog } from "../transcript/turn-log.ts";
import { filePrompt } from "./filed-prompt.ts";
import type { SteerCommand } from "./link.ts";
import { claimFamily, createFamily, prepareFamily } from "./next-family.ts";
import { createAgentMessage, getPrompt } from "./prompt.ts";
import { createSteers } from "./steers.ts";

export interface Turn {
  /**
   * Lets the agent act. Called once the service knows that this sandbox runs the turn; before that,
   * the turn could run twice.
   */
  begin(): void;
  steer(steer: SteerCommand): void;
  /** Sends what running commands print, from the end of what they have printed so far, or stops. */
  showOutputs(areShown: boolean): void;
  /**
   * Ends the turn at any point. Resolves when its agent and its processes are gone and its last
   * event is emitted.
   */
  end(outcome: TurnOutcome): Promise<void>;
}

/** Where a turn sends what happens in it. */
export interface TurnReport {
  /** Sends an event. The last is always `ended`. */
  emit(event: TurnEvent): void;
  /** Sends a piece of a running command's output, unless it cannot be sent now. */
  print(output: PrintedText): boolean;
}

/**
 * After this time, a stopping agent is abandoned: its events are ignored and its processes are
 * killed.
 */
const agentStopMs = 800;
/** After this time, pending uploads are aborted. */
const storageStopMs = 500;

/** Starts a turn. */
export function startTurn(
  agent: Agent,
  folders: Folders,
  checkout: Pick<CheckoutRecord, "remoteUrl"> & { targetCommit: string | undefined },
  services: Services,
  start: TurnStart,
  { emit, print }: TurnReport,
): Turn {
  const family = start.profile.writes ? claimFamily(folders) : createFamily(folders);
  const redaction = createRedaction(listSecrets(start));
  const storage = createOutputStorage(start.outputsUrl, start.model.token);
  const outputs = join(folders.tmp, "outputs", start.turnId);
  const blocks = createBlocks(emit, redaction, storage, toolsWithOwnBlock);
  const runningOutputs = createRunningOutputs(blocks.findToolIndex, print);
  const log = createTurnLog(start.profile.keepsLog === true, emit, redaction);
  let run: AgentRun | null = null;
  let hasSubmitted = false;
  const { profile } = start;
  const { remoteUrl } = checkout;
  let { targetCommit } = checkout;
  const stopping = new AbortController();
  /** Settles when the turn's skills and plugins are in place. */
  const { promise: givens, resolve: resolveGivens } = Promise.withResolvers<TurnGivens>();
  const ready = async (message: Pick<SteerCommand, "text" | "skill" | "attachments">) =>
    await createAgentMessage(folders, start, await givens, message, stopping.signal);
  const steers = createSteers(ready, stopping.signal, blocks.take);
  let ending: Promise<void> | null = null;
  const { promise: mayBegin, resolve: begin } = Promise.withResolvers<void>();
  const prompt = getPrompt(agent, start);
  /** The environment of plugins. */
  const withoutTokens = getShellEnvironment(folders, start.env, null);
  const files = profile.writes ? createFileAccess(folders) : createProjectAccess(folders);

  /**
   * Values that the agent writes are secrets from then on, and the call itself shows none of them.
   */
  function withoutSecrets(event: BlockEvent): BlockEvent {
    if (event.type !== "tool_begin" || event.name !== projectSettingsTool) return event;
    redaction.add(listWrittenValues(event.input));
    return { ...event, input: toMaskedInput(event.input) };
  }

  function receive(event: AgentEvent): void {
    // Once the turn is ending, only the outcomes of steers are still reported.
    if (event.type === "log") log(event.line);
    else if (event.type === "steer") steers.settle(event.steerId, event.outcome);
    else if (ending === null) blocks.take(withoutSecrets(event));
  }

  function onSubmitted(): void {
    hasSubmitted = true;
  }

  async function takeGivens(): Promise<TurnGivens> {
    const fetching = { token: start.model.token, signal: stopping.signal };
    const [skills, plugins] = await Promise.all([
      updateSkills(folders, start.skills ?? [], fetching),
      updatePlugins(folders, start.plugins ?? [], (plugin) => findMissingCommand(plugin, withoutTokens), fetching),
    ]);
    return { skills, plugins };
  }

  async function open(plugins: readonly TakenPlugin[]): Promise<AgentRun> {
    const opened = await agent.open({
      conversationId: start.conversation.id,
      model: start.model,
      instructions: profile.instructions,
      writes: profile.writes,
      env: {
        ...getShellEnvironment(
          folders,
          start.env,
          profile.git === "none" ? null : { remoteUrl, token: start.git.token },
        ),
        ...getApiEnvironment(start.api),
        SWITCHYARD_SERVICE_LOGS: getLogFolder(folders),
      },
      family,
      tools: createProductTools(profile.tools, {
        api: start.api,
        artifacts: { url: start.artifactsUrl, token: start.model.token, folders, files, redaction },
        folders,
        endpoint: { url: start.toolsUrl, token: start.model.token },
        gitToken: start.git.token,
        redaction,
        family,
        targetBranch: start.targetBranch,
        services,
        result: profile.resultSchema ? { schema: profile.resultSchema, onSubmitted } : null,
        turn: {
          id: start.turnId,
          message: start.prompt,
          // A message that calls the skill starts a new sync, so it answers no question.
          answers: start.skill?.name === "svc:sync-branch" ? null : start.answers,
        },
      }),
      openOutput: (callId, tailBytes) => runningOutputs.add(callId, createCommandOutput(outputs, redaction, tailBytes)),
      findReminder: () => (profile.resultSchema && !hasSubmitted ? resultReminder : null),
      plugins: createTurnPlugins(plugins, {
        ...{ cwd: folders.project, env: withoutTokens, family, files, sessionId: start.conversation.id },
        onEvent: receive,
      }),
      onEvent: receive,
    });
    run = opened;
    steers.open(opened);
    log(`agent opened: ${agent.version}, ${start.model.provider} ${start.model.id}, ${start.model.effort}`);
    return opened;
  }

  async function work(): Promise<AgentEnd> {
    const note = profile.writes ? findWaitingSyncNote(folders, start) : null;
    const tryOpen = (plugins: readonly TakenPlugin[]) =>
      open(plugins).catch((error: unknown) => failure("The agent could not be started", error));
    // An agent with plugins is opened once they are in place.
    const hasPlugins = profile.writes && (start.plugins ?? []).length > 0;
    const early = hasPlugins ? null : await tryOpen([]);
    if (early !== null && "type" in early) return early;
    await mayBegin;
    // A killed program could not clean up its last turn.
    await cleanUp();
    if (ending) return { type: "stopped" };
    const filed = await filePrompt(folders, start, stopping.signal).catch((error: unknown) =>
      failure("The prompt could not be filed", error),
    );
    if (filed !== null) {
      await early?.stop();
      if ("type" in filed) return filed;
      filed.forEach(receive);
      return { type: "done" };
    }
    // The folders belong to the turn that may change the checkout. A turn that only reads is given
    // nothing.
    resolveGivens(profile.writes ? takeGivens() : noGivens);
    const opened = early ?? (await tryOpen((await givens).plugins.taken));
    if ("type" in opened) return opened;
    const text = note === null ? prompt : `${note}\n\n${prompt}`;
    const message = await ready({ ...start, text }).catch((error: unknown) =>
      failure("The message could not be read", error),
    );
    if ("type" in message) {
      await opened.stop();
      return message;
    }
    if (ending) return { type: "stopped" };
    if (profile.writes) family.prepare();
    const end = await opened.work(message);
    if (end.type === "done" && !ending && profile.writes)
      (await listSyncReminders(folders, start, blocks.endsWithQuestion())).forEach(receive);
    return end;
  }

  function toOutcome(end: AgentEnd): TurnOutcome {
    switch (end.type) {
      case "done":
        return { status: blocks.endsWithQuestion() ? "awaiting_response" : "completed" };
      case "stopped":
        return { status: "cancelled" };
      case "failed":
        return { status: "failed", error: redaction.whole(end.error), errorCode: end.errorCode };
    }
  }

  async function stopAndClose(outcome: TurnOutcome): Promise<void> {
    stopping.abort();
    runningOutputs.close();
    const stopped = run?.stop().catch(() => {});
    const letGo = Promise.all([stopped, family.killAll()]).then(() => working);
    await Promise.race([letGo, sleep(agentStopMs, undefined, { ref: false })]);
    // Kills processes that the agent started during the stop, and refuses later ones.
    await family.close();
    await finishCheckout();
    await Promise.race([storage.idle(), sleep(storageStopMs, undefined, { ref: false })]);
    storage.abort();
    await storage.idle();
    close(outcome);
  }

  /**
   * Deletes the locks of a killed git, and aborts a merge that the agent did not finish. A turn
   * that only reads skips this.
   */
  async function cleanUp(): Promise<void> {
    if (!profile.writes) return;
    await deleteLocks(folders);
    await cancelHandMerge(folders).catch(() => {});
  }

  /**
   * Cleans up after the turn's last change, and records which commit of the Target Branch the
   * checkout contains. The turn ends also if that fails.
   */
  async function finishCheckout(): Promise<void> {
    if (!profile.writes) return;
    try {
      await cleanUp();
      targetCommit = await commitWithin(folders, start.targetBranch);
    } catch (error) {
      log(`the checkout could not be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  function close(outcome: TurnOutcome): void {
    stopping.abort();
    steers.close();
    runningOutputs.close();
    blocks.close();
    log(`the turn ended: ${outcome.status === "failed" ? `failed: ${outcome.error}` : outcome.status}`);
    emit({ type: "ended", outcome, targetCommit });
    rmSync(outputs, { recursive: true, force: true });
    if (profile.writes) prepareFamily(folders);
  }

  function end(outcome: TurnOutcome): Promise<void> {
    ending ??= stopAndClose(outcome);
    begin();
    return ending;
  }

  emit({ type: "started", agentVersion: agent.version, targetCommit });
  const working = work()
    .catch((error: unknown) => failure("The agent failed", error))
    .then(async (agentEnd) => {
      if (ending) return run?.stop();
      const outcome = toOutcome(agentEnd);
      await Promise.all([family.close(), storage.idle()]);
      if (ending) return;
      await finishCheckout();
      if (ending) return;
      ending = Promise.resolve();
      close(outcome);
    });

  return { begin, steer: steers.arrive, showOutputs: runningOutputs.show, end };
}

function failure(what: string, error: unknown): Extract<AgentEnd, { type: "failed" }> {
  if (isDiskFull(error)) return { type: "failed", error: diskIsFull, errorCode: null };
  const reason = error instanceof Error ? error.message : String(error);
  return { type: "failed", error: `${what}: ${reason}`, errorCode: null };
}

const listSecrets = (start: TurnStart) => [
  start.api.token,
  start.link.token,
  start.model.token,
  start.git.token,
  ...(start.secretNames ?? []).flatMap((name) => start.env[name] ?? []),
  ...(start.secrets ?? []),
];
