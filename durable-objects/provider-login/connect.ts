// Finishes a sign-in, from what the person brought back or approved to the stored login. Each step
// is safe to repeat after a crash.
import type { Env } from "../../src/env.ts";
import { providers } from "../../src/model/providers.ts";
import { type AttemptStep, sealStep, unsealStep } from "../../src/provider-login/connect/attempt.ts";
import { exchangeCode } from "../../src/provider-login/connect/browser-flow.ts";
import { pollDevice } from "../../src/provider-login/connect/device-flow.ts";
import { readAccount, signInClient } from "../../src/provider-login/connect/oauth-client.ts";
import type { NewTokens } from "../../src/provider-login/connect/token-endpoint.ts";
import { getAccountFingerprint, sealAccountTokens } from "../../src/provider-login/credentials.ts";
import {
  type AttemptRow,
  connectAttempt,
  endAttempt,
  findAttempt,
  findHeldLogin,
  updateAttempt,
} from "../../src/provider-login/queries/connect-attempts.ts";
import { parsePastedCode } from "../../src/provider-login/rules/pasted-code.ts";
import { findEndedAnswer, type SignInAnswer, slowDownSeconds } from "../../src/provider-login/rules/sign-in.ts";
import { isRefusal, type Refusal, refuse } from "../../src/rules/refusal.ts";

const connected: SignInAnswer = { authenticated: true };
const notYet: SignInAnswer = { authenticated: false };
const restart: SignInAnswer = { authenticated: false, restart: true };

/**
 * Finishes a sign-in. `pasted` is what the person brought back from the browser. Two calls for one
 * attempt must not overlap.
 */
export async function finishSignIn(
  env: Env,
  tokenHash: string,
  pasted: string | null,
): Promise<SignInAnswer | Refusal> {
  const attempt = await findAttempt(env.DB, tokenHash);
  if (!attempt) return restart;
  const ended = findEndedAnswer(attempt, Date.now());
  if (ended) return ended;
  const step = await unsealStep(env, attempt);
  const answer = await receiveTokens(env, attempt, step, pasted);
  if (!("accessToken" in answer)) return answer;
  if (step.type !== "tokens") {
    await updateAttempt(env.DB, tokenHash, {
      sealed: await sealStep(env, tokenHash, { type: "tokens", tokens: answer }),
    });
  }
  return await connect(env, attempt, answer);
}

/** The tokens that the provider issues for the attempt, or why there are none yet. */
async function receiveTokens(
  env: Env,
  attempt: AttemptRow,
  step: AttemptStep,
  pasted: string | null,
): Promise<NewTokens | SignInAnswer | Refusal> {
  switch (step.type) {
    case "tokens":
      return step.tokens;
    case "browser": {
      const client = signInClient(env, attempt.provider, "browser");
      if (isRefusal(client)) return client;
      const code = parsePastedCode(pasted ?? "", step.state);
      if (code === null) return notYet;
      const answer = await exchangeCode(client, code, step.verifier);
      switch (answer.type) {
        case "tokens":
          return answer.tokens;
        case "refused":
          return notYet;
        default:
          return unanswered(attempt, answer.type);
      }
    }
    case "device":
      return await tokensOfDevice(env, attempt, step.deviceCode);
  }
}

async function tokensOfDevice(
  env: Env,
  attempt: AttemptRow,
  deviceCode: string,
): Promise<NewTokens | SignInAnswer | Refusal> {
  const { provider, tokenHash, nextPollAt } = attempt;
  const intervalSeconds = attempt.intervalSeconds ?? slowDownSeconds;
  if (Date.now() < nextPollAt) return { ...notYet, intervalSeconds };
  const client = signInClient(env, provider, "device");
  if (isRefusal(client)) return client;
  const answer = await pollDevice(client, deviceCode);
  const wait = async (seconds: number) => {
    const nextPollAt = Date.now() + seconds * 1_000;
    await updateAttempt(env.DB, tokenHash, { intervalSeconds: seconds, nextPollAt });
    return { ...notYet, intervalSeconds: seconds };
  };
  switch (answer.type) {
    case "tokens":
      return answer.tokens;
    case "pending":
      return await wait(intervalSeconds);
    case "slow-down":
      return await wait(intervalSeconds + slowDownSeconds);
    case "over":
      await updateAttempt(env.DB, tokenHash, { outcome: "restart", sealed: "" });
      return restart;
    default:
      return unanswered(attempt, answer.type);
  }
}

/**
 * The refusal for a failure of the provider, which says nothing about the sign-in. The sign-in can
 * be finished once the provider works again.
 */
function unanswered({ provider }: AttemptRow, type: "client-refused" | "unavailable"): Refusal {
  const { name } = providers[provider];
  return type === "client-refused"
    ? refuse("SERVICE_UNAVAILABLE", `${name} refuses the client that the setting MODEL_LOGIN_CLIENTS names.`)
    : refuse("SERVICE_UNAVAILABLE", `${name} did not answer. Try again shortly.`);
}

/**
 * Stores the login of the tokens. It replaces the login of the same account if there is one, and
 * otherwise comes after the others.
 */
async function connect(env: Env, attempt: AttemptRow, tokens: NewTokens): Promise<SignInAnswer | Refusal> {
  const { provider, tokenHash, owner } = attempt;
  const kind = providers[provider].connectsBy === "device" ? "device" : "browser";
  const client = signInClient(env, provider, kind);
  if (isRefusal(client)) return client;
  const account = await readAccount(client, tokens.accessToken);
  if (account === null) {
    return refuse(
      "SERVICE_UNAVAILABLE",
      `${providers[provider].name} did not report whose login this is. Try again shortly.`,
    );
  }
  const fingerprint = await getAccountFingerprint(provider, account.id);
  // If an account is connected or disconnected meanwhile, the next round sees it.
  for (let round = 0; round < 3; round++) {
    const held = owner.type === "workspace" ? null : await findHeldLogin(env.DB, attempt.name, fingerprint);
    const name = held === null ? attempt.name : { ...attempt.name, id: held };
    const login = await sealAccountTokens(env, name, { account, tokens }, Date.now());
    if (await connectAttempt(env.DB, tokenHash, { name, login, isHeld: held !== null })) return connected;
  }
  const { sealed } = await sealAccountTokens(env, attempt.name, { account, tokens }, Date.now());
  await endAttempt(env.DB, tokenHash, { outcome: "full", sealed });
  return refuse("PROVIDER_LOGIN_LIMIT");
}
