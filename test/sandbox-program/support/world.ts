// A sandbox program with all that surrounds it: a git remote, a model provider, and a service at
// the other end of each turn's link.

import { type PracticeProvider, startPracticeProvider } from "../../../practice/model-provider/provider.ts";
import type { AgentProfile } from "../../../src/chat/rules/agent-profile.ts";
import type { Checkout, TurnStart } from "../../../src/sandbox-protocol/protocol.ts";
import { type GitRemote, startGitRemote } from "./git-remote.ts";
import { type Program, startProgram } from "./program.ts";
import { type ServiceApi, startServiceApi } from "./service-api.ts";
import { startTurnService, type TurnService } from "./turn-service.ts";

export interface World {
  program: Program;
  remote: GitRemote;
  provider: PracticeProvider;
  api: ServiceApi;
  checkout: Checkout;
  /** A new turn and the service that receives its events. */
  newTurn(steps: unknown[] | string, changes?: Partial<TurnStart>): Promise<{ start: TurnStart; service: TurnService }>;
  /** The same, started. */
  runTurn(steps: unknown[] | string, changes?: Partial<TurnStart>): Promise<{ start: TurnStart; service: TurnService }>;
  end(): Promise<void>;
}

export const fence = "```";

/** Text that the practice model takes for a script. */
export const createScript = (steps: unknown[]) =>
  `${fence}practice\n${steps.map((step) => JSON.stringify(step)).join("\n")}\n${fence}`;

/** Starts the world; the program has its checkout. */
export async function startWorld(env: Record<string, string> = {}): Promise<World> {
  const [program, remote, provider, api] = await Promise.all([
    startProgram({ env }),
    startGitRemote(),
    startPracticeProvider(),
    startServiceApi(),
  ]);
  const services: TurnService[] = [];
  let turns = 0;
  const checkout: Checkout = {
    remoteUrl: remote.url,
    token: remote.token,
    branch: "svc/work",
    baseBranch: "main",
    setup: [],
    env: {},
  };
  const made = await program.call("PUT", "/checkout", checkout);
  if (made.status !== 200) throw new Error(`No checkout: ${JSON.stringify(made.body)}`);

  const world: World = {
    program,
    remote,
    provider,
    api,
    checkout,
    async newTurn(steps, changes = {}) {
      const service = await startTurnService();
      services.push(service);
      turns += 1;
      const start: TurnStart = {
        turnId: `turn-${turns}`,
        link: { url: service.url, token: `link-token-${turns}-abcdef` },
        model: {
          provider: "anthropic",
          wire: "anthropic-messages",
          baseUrl: `${provider.url}/anthropic`,
          token: "sk-practice-sandbox-tests",
          id: "claude-practice",
          effort: "medium",
          speed: null,
          contextWindow: 200_000,
          maxOutputTokens: 32_000,
          acceptsImages: true,
        },
        git: { token: remote.token },
        attachments: [],
        outputsUrl: `${api.url}/outputs`,
        skill: null,
        profile: profile(),
        toolsUrl: `${api.url}/tools`,
        artifactsUrl: `${api.url}/artifacts`,
        api: { url: api.url, token: `api-token-${turns}-abcdef`, projectId: "the-project" },
        prompt: typeof steps === "string" ? steps : createScript(steps),
        conversation: { id: `conversation-${turns}`, isNew: true, handover: null },
        targetBranch: "main",
        env: {},
        ...changes,
      };
      return { start, service };
    },
    async runTurn(steps, changes) {
      const turn = await world.newTurn(steps, changes);
      const answer = await program.call("POST", "/turns", turn.start);
      if (answer.status !== 202) throw new Error(`The turn was not taken: ${JSON.stringify(answer.body)}`);
      return turn;
    },
    async end() {
      await program.remove();
      await Promise.all([remote.stop(), provider.close(), api.stop(), ...services.map((service) => service.stop())]);
    },
  };
  return world;
}

/** What the agent of a session may do. */
export const profile = (changes: Partial<AgentProfile> = {}): AgentProfile => ({
  tools: ["plan", "ask", "file_session", "artifact"],
  writes: true,
  git: "push",
  skills: ["factory", "project"],
  instructions: "Work in the demo project.",
  ...changes,
});
