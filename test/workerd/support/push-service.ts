// The push service of the object tests, and the phones that people register for it.
import { env } from "cloudflare:workers";
import { saveDevice } from "../../../src/notification/queries/devices.ts";
import { standIn } from "./outside.ts";

/** A notification as it reached the push service. */
export interface SentNotification {
  token: string;
  environment: string;
  topic: string | null;
  collapseId: string | null;
  provider: string;
  payload: { id: string; kind: string };
}

/** A push service that accepts everything, unless `answers` has another response for a token. */
export function openPushService() {
  const sent: SentNotification[] = [];
  const answers = new Map<string, () => Response | Promise<Response>>();
  const end = standIn("http://push.test/", async (request) => {
    const [, environment = "", , , token = ""] = new URL(request.url).pathname.split("/");
    const { headers } = request;
    const [topic, collapseId] = [headers.get("apns-topic"), headers.get("apns-collapse-id")];
    const provider = headers.get("authorization") ?? "";
    sent.push({ token, environment, topic, collapseId, provider, payload: await request.json() });
    return (await answers.get(token)?.()) ?? new Response();
  });
  return { sent, answers, end };
}

/** Registers a phone for a user, and returns its token. */
export async function registerPhone(userId: string, token = crypto.randomUUID().replaceAll("-", "")): Promise<string> {
  const phone = { token, bundleId: "com.example.app", environment: "sandbox", platform: "ios" } as const;
  await saveDevice(env.DB, userId, { ...phone, installation: null }, Date.now());
  return token;
}

/** The time limit of the test bounds it. The waits of Vitest would move a stopped clock. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await scheduler.wait(5);
}
