// Model calls that survive an outage of the service, and a short limit of the provider. A call is
// sent again only if no part of a response has reached the agent.
import { setTimeout as pause } from "node:timers/promises";
import type { FetchFunction, ProviderStreams } from "@earendil-works/pi-ai";
import { callFailures } from "../../../src/model-gateway/rules/failure.ts";
import { findLimitPause } from "../../../src/model-gateway/rules/provider-response.ts";
import {
  type CallOutcome,
  findModelRetryDelayMs,
  gatewayHeader,
  isAbsence,
  serviceAway,
} from "../../../src/model-gateway/rules/service-absence.ts";

/**
 * Wraps the streams, so that each call waits until the service is reachable again, and for the end
 * of a limit.
 */
export function withCallRetries(streams: ProviderStreams): ProviderStreams {
  return {
    stream: (model, context, options) =>
      streams.stream(model, context, { ...options, fetch: withRetries(options?.fetch ?? fetch) }),
    streamSimple: (model, context, options) =>
      streams.streamSimple(model, context, { ...options, fetch: withRetries(options?.fetch ?? fetch) }),
  };
}

interface Clock {
  now(): number;
  pause(ms: number, signal: AbortSignal | undefined): Promise<unknown>;
}

const realClock: Clock = { now: Date.now, pause: (ms, signal) => pause(ms, undefined, { signal }) };

/**
 * The fetch of a model client, whose bodies are texts. An aborted call ends immediately. Returns a
 * failure if the service is unreachable for too long. pi's own retries are too fast for a limit
 * that lasts some seconds, so each of them waits once for the end that the provider names.
 */
export function withRetries(send: FetchFunction, clock = realClock): FetchFunction {
  const sendPastAbsence = withAbsenceRetries(send, clock);
  return async (input, init) => {
    const answer = await sendPastAbsence(input, init);
    const { status, headers } = answer;
    const pauseMs = findLimitPause({ status, header: (name) => headers.get(name) }, clock.now());
    if (pauseMs === null) return answer;
    await answer.body?.cancel();
    await clock.pause(pauseMs, init?.signal ?? undefined);
    return await sendPastAbsence(input, init);
  };
}

function withAbsenceRetries(send: FetchFunction, clock: Clock): FetchFunction {
  return async (input, init) => {
    const signal = init?.signal ?? undefined;
    let awaySince: number | null = null;
    for (let tries = 1; ; tries++) {
      const answer = await send(input, init).catch((error: unknown) => {
        if (signal?.aborted || !isAbsence({ type: "failed", code: findErrorCode(error) })) throw error;
        return null;
      });
      if (answer !== null && !isAbsence(toOutcome(answer))) return answer;
      await answer?.body?.cancel();
      awaySince ??= clock.now();
      const pauseMs = findModelRetryDelayMs(tries, clock.now() - awaySince, Math.random());
      if (pauseMs === null) return awayTooLong();
      await clock.pause(pauseMs, signal);
    }
  };
}

const toOutcome = ({ status, headers }: Response): CallOutcome => ({
  type: "answered",
  status,
  isOfGateway: headers.has(gatewayHeader),
});

/** The error code of a connection, which `fetch` hides in the cause. */
function findErrorCode(error: unknown): string | null {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : null;
}

/** Has the format of the gateway's own failures. */
function awayTooLong(): Response {
  const { code, message } = serviceAway;
  const [status, type] = callFailures[code];
  return Response.json({ type: "error", error: { type, code, message } }, { status });
}
