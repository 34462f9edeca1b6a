// The webhooks that GitHub has sent to the service's app: whether they were delivered, and
// redelivering one.
import * as z from "zod";
import { readResponseJson } from "../../lib/response-body.ts";
import { codeHostResponseBytes } from "../../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import type { DeliveryAttempt } from "../rules/webhook.ts";
import { type AppSettings, asApp } from "./app.ts";
import { createGithubResponseCall } from "./call.ts";

const pageSize = 100;
/** With the redeliveries of a page of the sweep, below the calls that one invocation may make. */
const pagesMax = 15;
const answerWaitMs = 10_000;

const attempts = z.array(
  z
    .object({
      id: z.int(),
      guid: z.string(),
      event: z.string(),
      delivered_at: z.string(),
      status_code: z.int(),
      repository_id: z.int().nullish(),
    })
    .transform(({ delivered_at, status_code, repository_id, ...attempt }) => ({
      ...attempt,
      deliveredAt: Date.parse(delivered_at),
      statusCode: status_code,
      repositoryId: repository_id ?? null,
    })),
);

/** An attempt, with the repository of its event. */
export type ListedAttempt = DeliveryAttempt & { repositoryId: number | null };

/** A part of the list, newest first. */
export interface AttemptList {
  attempts: ListedAttempt[];
  /** Where older attempts begin; null if there are none. */
  older: string | null;
}

/**
 * The attempts since a time in milliseconds since the epoch, at most 1,500. `cursor` is where they
 * begin: the `older` of the part before, or null for the newest.
 */
export async function listAttemptsSince(
  settings: AppSettings,
  since: number,
  cursor: string | null,
): Promise<AttemptList | Refusal> {
  const ask = createGithubResponseCall({ apiUrl: settings.apiUrl, credential: asApp(settings) });
  const found: ListedAttempt[] = [];
  let older = cursor;
  for (let page = 0; page < pagesMax; page++) {
    const query = `per_page=${pageSize}${older === null ? "" : `&cursor=${encodeURIComponent(older)}`}`;
    const answer = await ask(
      { method: "GET", path: `/app/hook/deliveries?${query}` },
      AbortSignal.timeout(answerWaitMs),
    );
    if (isRefusal(answer)) return answer;
    const listed = await readResponseJson<unknown>(answer, codeHostResponseBytes).catch(() => null);
    const read = attempts.safeParse(listed);
    if (!read.success) return refuse("SERVICE_UNAVAILABLE", "The code host lists its webhooks in an unknown form.");
    found.push(...read.data.filter(({ deliveredAt }) => deliveredAt >= since));
    // A page with an attempt that is too old is the last one.
    older = found.length < (page + 1) * pageSize ? null : findCursor(answer.headers.get("link"));
    if (older === null) break;
  }
  return { attempts: found, older };
}

/** Makes GitHub send a webhook again, with the same delivery id. */
export async function sendAgain(settings: AppSettings, attemptId: number): Promise<Refusal | null> {
  const ask = createGithubResponseCall({ apiUrl: settings.apiUrl, credential: asApp(settings) });
  const path = `/app/hook/deliveries/${attemptId}/attempts`;
  const answer = await ask({ method: "POST", path }, AbortSignal.timeout(answerWaitMs));
  if (isRefusal(answer)) return answer;
  await answer.body?.cancel();
  return null;
}

/** The cursor of the next page in a Link header; null on the last page. */
function findCursor(link: string | null): string | null {
  for (const part of (link ?? "").split(",")) {
    const [address = "", ...relations] = part.split(";");
    if (relations.some((relation) => relation.trim() === 'rel="next"'))
      return URL.parse(address.trim().slice(1, -1))?.searchParams.get("cursor") ?? null;
  }
  return null;
}
