// A model call on a member's subscription. Its logins are tried in order: if the provider rejects
// one before any output, that login is marked, and the next one makes the call.

import type { Env } from "../env.ts";
import { readErrorText } from "../lib/response-body.ts";
import { providers } from "../model/providers.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import { unsealCredential } from "../provider-login/credentials.ts";
import { getLoginName, type LoginRow, updateCredential } from "../provider-login/queries/logins.ts";
import { isExhausted, listLoginsToTry } from "../provider-login/rules/login-order.ts";
import { getSubscriptionTrouble } from "../provider-login/rules/trouble.ts";
import { serviceResponseBytes } from "../rules/limits.ts";
import { createAnswerReader } from "./answer-reader.ts";
import type { PayerCall } from "./payer.ts";
import { type CallVerdict, getCallVerdict, type LoginMark } from "./rules/provider-response.ts";
import { findStreamError, type Opening, parseOpening } from "./rules/stream-event.ts";
import { callWithBody, callWithKey, createFailure, deleteReasoning, toRefreshFailure, withBody } from "./upstream.ts";
import { isEventStream, watchAnswer } from "./watched-answer.ts";

/**
 * Calls a provider on a subscription. A body is buffered only while it may have to be sent again.
 */
export async function callOnSubscription(env: Env, call: PayerCall): Promise<Response> {
  const { logins, request } = call;
  const tries = listLoginsToTry(logins, Date.now());
  const [only, ...others] = tries;
  if (!only) return troubled(call, logins);
  if (only.kind === "key" && others.length === 0) return await callOnLogins(env, call, tries, null);
  return await withBody(request, (body) => callOnLogins(env, call, tries, body));
}

/** `body` is null for one that is streamed, which is possible only once. */
async function callOnLogins(
  env: Env,
  call: PayerCall,
  tries: LoginRow[],
  body: Uint8Array<ArrayBuffer> | null,
): Promise<Response> {
  const marked = new Map<string, LoginRow>();
  let firstRefusal: Response | null = null;
  for (const login of tries) {
    const answer = await callOnLogin(env, call, { login, body, isLast: login === tries.at(-1) });
    if (answer.isFinal) return answer.response;
    marked.set(login.id, answer.login);
    firstRefusal ??= answer.refusal;
  }
  return (
    firstRefusal ??
    troubled(
      call,
      call.logins.map((login) => marked.get(login.id) ?? login),
    )
  );
}

type LoginAnswer =
  | { isFinal: true; response: Response }
  /**
   * Another login may make the call. `refusal` is returned if none does, unless this login was
   * marked.
   */
  | { isFinal: false; login: LoginRow; refusal: Response | null };

async function callOnLogin(
  env: Env,
  call: PayerCall,
  { login, body, isLast }: { login: LoginRow; body: Uint8Array<ArrayBuffer> | null; isLast: boolean },
): Promise<LoginAnswer> {
  const { path, request, provider } = call;
  const name = getLoginName(login);
  const credential = await unsealCredential(env, name, login);
  const called = { name, path, request, credential };
  const isHeld = !isLast || isExhausted(login, Date.now());
  if (body === null && credential.kind === "key") {
    const answer = await callWithKey(env, called, credential.apiKey, request.body);
    return await recordAnswer(env, call, login, await judge(answer, isHeld));
  }
  const send = async (sent: Uint8Array<ArrayBuffer>) => {
    const answer = await callWithBody(env, called, sent);
    if (answer.type === "answered") {
      // The response applies to the secret that was used.
      const tried = { ...login, sealed: answer.renewed ?? login.sealed };
      return { tried, judged: await judge(answer.response, isHeld) };
    }
    return answer.type;
  };
  const over: LoginAnswer = { isFinal: false, login: { ...login, needsReauth: true }, refusal: null };
  let answer = await send(body ?? new Uint8Array());
  if (typeof answer !== "string" && answer.judged.verdict.next === "without-reasoning" && body !== null) {
    answer = await send(deleteReasoning(body));
  }
  if (answer === "needs-reauth") return over;
  if (typeof answer === "string") return { isFinal: true, response: toRefreshFailure(answer, provider) };
  return await recordAnswer(env, call, answer.tried, answer.judged);
}

interface Judged {
  response: Response;
  verdict: CallVerdict;
}

/**
 * Judges a response, and reads its body if it is an error. The start of a stream is delayed only
 * while another login could make the call, or if the login was tried although it is marked as
 * exhausted.
 */
async function judge(answer: Response, isHeld: boolean): Promise<Judged> {
  const { status, headers, body } = answer;
  const verdictOn = verdictWith(headers);
  if (!answer.ok) {
    const text = await readErrorText(answer);
    return { response: new Response(text, { status, headers }), verdict: verdictOn(status, text) };
  }
  const passed: CallVerdict = { mark: null, next: "pass-on" };
  if (!isHeld || !isEventStream(headers) || body === null) return { response: answer, verdict: passed };
  const held = await holdOpening(body);
  const response = new Response(held.body, { status, headers });
  if (held.opening.type !== "error") return { response, verdict: passed };
  const verdict = verdictOn(held.opening.status, JSON.stringify(held.opening.body));
  if (verdict.next === "pass-on") return { response, verdict };
  await held.body.cancel();
  return { response: Response.json(held.opening.body, { status: held.opening.status }), verdict };
}

const verdictWith = (headers: Headers) => (status: number, text: string) =>
  getCallVerdict({ status, header: (name) => headers.get(name), text }, Date.now());

/** Saves what a response implies for its login. */
async function recordAnswer(
  env: Env,
  { provider }: PayerCall,
  login: LoginRow,
  { response, verdict }: Judged,
): Promise<LoginAnswer> {
  const { mark } = verdict;
  if (mark === null) {
    // A successful response shows that the mark was wrong or is outdated.
    if (response.ok && isExhausted(login, Date.now())) await note(env, login, { exhaustedUntil: null });
    return verdict.next === "another-login"
      ? { isFinal: false, login, refusal: response }
      : { isFinal: true, response: watchForErrors(env, login, response, provider) };
  }
  const change = toRowChange(mark);
  await note(env, login, change);
  return { isFinal: false, login: { ...login, ...change }, refusal: null };
}

function toRowChange(mark: LoginMark): Partial<LoginRow> {
  return mark.type === "exhausted" ? { exhaustedUntil: mark.until } : { needsReauth: true };
}

/**
 * Marks a login for an error that follows content. The stream continues to its end: the agent's own
 * retry uses the next login.
 */
function watchForErrors(env: Env, login: LoginRow, response: Response, provider: ProviderId): Response {
  const { body, status, headers } = response;
  if (body === null || !isEventStream(headers)) return response;
  const verdictOn = verdictWith(headers);
  let mark: LoginMark | null = null;
  const reader = createAnswerReader(providers[provider].wire, true, (values) => {
    const error = findStreamError(toEvent(values));
    if (error) mark = verdictOn(error.status, JSON.stringify(error.body)).mark;
  });
  const watched = watchAnswer(body, reader, async () => {
    if (mark) await note(env, login, toRowChange(mark));
  });
  return new Response(watched, { status, headers });
}

/** The event of a stream, rebuilt from the values that were picked out of it. */
function toEvent(values: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return { ...Object.fromEntries(values), response: { error: values.get("response.error") } };
}

/** Marks a login, unless its secret has been replaced since the call. */
async function note(env: Env, login: LoginRow, change: Partial<LoginRow>): Promise<void> {
  await updateCredential(env.DB, getLoginName(login), login, change);
}

function troubled({ person, isMember, provider }: PayerCall, logins: LoginRow[]): Response {
  const trouble = getSubscriptionTrouble(
    { providerName: providers[provider].name, person, isMember, logins },
    Date.now(),
  );
  return createFailure(trouble.code, trouble.message);
}

/**
 * The longest time for which the start of a streamed response is delayed, until it shows whether
 * the provider accepts the call.
 */
const holdMs = 1_000;

type Read = ReadableStreamReadResult<Uint8Array>;

/**
 * Reads a stream up to its first content, an error, or the end of the delay. `body` continues from
 * the first byte.
 */
async function holdOpening(
  body: ReadableStream<Uint8Array>,
): Promise<{ opening: Opening; body: ReadableStream<Uint8Array> }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const held: Uint8Array[] = [];
  const { promise: holdOver, resolve: endHold } = Promise.withResolvers<null>();
  const timer = setTimeout(() => endHold(null), holdMs);
  /** A read in progress. */
  let pending: Promise<Read> | null = null;
  let opening: Opening = { type: "open" };
  let text = "";
  // The start of a response repeats the instructions of its call. Beyond this size, it is forwarded
  // without being checked.
  let left = serviceResponseBytes;
  while (opening.type === "open" && left > 0) {
    pending ??= reader.read();
    const read: Read | null = await Promise.race([pending, holdOver]);
    if (read === null) break;
    pending = null;
    if (read.done) break;
    held.push(read.value);
    left -= read.value.length;
    text += decoder.decode(read.value, { stream: true });
    opening = parseOpening(text);
  }
  clearTimeout(timer);
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = held.shift();
      if (chunk) return controller.enqueue(chunk);
      const { done, value } = await (pending ?? reader.read());
      pending = null;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { opening, body: whole };
}
