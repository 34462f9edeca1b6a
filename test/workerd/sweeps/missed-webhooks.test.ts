// The sweep of missed webhooks: it asks the code host to send what did not arrive, once, however
// many pages the list has.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { sweepMissedWebhooks } from "../../../src/code-host/sweep.ts";
import type { Env } from "../../../src/env.ts";
import { drawAppKey } from "../support/app-key.ts";
import { captureLog } from "../support/captured-log.ts";
import { standIn } from "../support/outside.ts";
import { sweepWhole } from "../support/sweep-whole.ts";

const tenMinutes = 600_000;
const now = 1_800_000_000_000;
const host = "http://missed.test";
const sent: string[] = [];
let list: object[] = [];
let status = 200;
let settings: Env;

const attempt = (id: number, status_code: number, at = now - 60_000, event = "push") => ({
  id,
  guid: `guid-${id}`,
  delivered_at: new Date(at).toISOString(),
  status_code,
  event,
  repository_id: 990_001,
});

beforeEach(async () => {
  sent.length = 0;
  status = 200;
  await env.DB.prepare("DELETE FROM sweep_marks").run();
  const pem = await drawAppKey();
  const app = { CODE_HOST_API_URL: host, CODE_HOST_APP_ID: "1001", CODE_HOST_APP_PRIVATE_KEY: pem };
  settings = { ...env, ...app } as unknown as Env;
  return standIn(host, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "POST") {
      sent.push(pathname);
      return new Response(null, { status: 202 });
    }
    const from = Number(searchParams.get("cursor") ?? 0);
    const next = from + 100 < list.length && `<${host}${pathname}?per_page=100&cursor=${from + 100}>; rel="next"`;
    const headers = { link: next || `<${host}${pathname}?cursor=0>; rel="first"` };
    return Response.json(list.slice(from, from + 100), { status, headers });
  });
});

test("what failed is requested, on every page; what is old, arrived or concerns no session is not", async () => {
  list = Array.from({ length: 250 }, (_, id) => attempt(id, id % 50 === 7 ? 502 : 204));
  list.push(attempt(900, 500, now - 60_000, "star"), attempt(901, 500, now - 4 * 24 * 3_600_000));
  await sweepWhole(sweepMissedWebhooks, settings, now);
  expect(sent).toEqual([7, 57, 107, 157, 207].map((id) => `/app/hook/deliveries/${id}/attempts`));
});

test("a list of thousands, as after an outage, is read to its end", async () => {
  const failed = [3, 1_499, 1_500, 3_100, 4_242];
  list = Array.from({ length: 4_300 }, (_, id) => attempt(id, failed.includes(id) ? 503 : 204));
  await sweepWhole(sweepMissedWebhooks, settings, now);
  expect(sent).toEqual(failed.map((id) => `/app/hook/deliveries/${id}/attempts`));
});

test("it asks every ten minutes, from where the last one ended; a failed sweep is repeated", async () => {
  captureLog();
  list = [attempt(1, 500)];
  await sweepWhole(sweepMissedWebhooks, settings, now + 60_000);
  expect(sent).toEqual([]);
  status = 404;
  await expect(sweepWhole(sweepMissedWebhooks, settings, now)).rejects.toThrow();
  status = 200;
  await sweepWhole(sweepMissedWebhooks, settings, now + tenMinutes);
  expect(sent.length).toBe(1);
  await sweepWhole(sweepMissedWebhooks, settings, now + 2 * tenMinutes);
  expect(sent.length).toBe(1);
  vi.restoreAllMocks();
});
