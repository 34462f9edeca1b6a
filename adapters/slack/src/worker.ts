// The Slack adapter: a Worker between Slack and the service. It uses a relay key and a webhook, and
// stores nothing. Work is done before the answer, so that what fails is sent again.
import { SlackApp } from "slack-edge";
import { type ClickRequest, handleClick } from "./answer.ts";
import { handleEvent } from "./event.ts";
import { handleMention, type SlackEvent } from "./mention.ts";
import type { Env } from "./settings.ts";
import { isSigned } from "./signature.ts";

/** Slack and the service send less. */
const bodyBytes = 1_048_576;

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (request.method !== "POST") return new Response("Not found.", { status: 404 });
    // Without a length, a stranger could send more than the Worker's memory holds.
    const length = request.headers.get("content-length");
    if (length === null || !(Number(length) <= bodyBytes)) return new Response(null, { status: 413 });
    try {
      if (pathname === "/slack") return await createApp(env).run(request);
      if (pathname === "/switchyard") return await receiveWebhook(request, env);
      return new Response("Not found.", { status: 404 });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      console.error(JSON.stringify({ event: "request.failed", pathname, error: message }));
      return new Response("Send it again later.", { status: 503 });
    }
  },
};

async function receiveWebhook(request: Request, env: Env): Promise<Response> {
  const body = await request.text();
  if (!(await isSigned(body, request.headers, env.SWITCHYARD_WEBHOOK_SECRET)))
    return new Response("The signature is wrong, or too old.", { status: 401 });
  await handleEvent(env, JSON.parse(body));
  return new Response(null, { status: 204 });
}

interface SlackBody {
  type?: string;
  event?: SlackEvent;
  authorizations?: { user_id?: string }[];
  is_ext_shared_channel?: boolean;
}

/**
 * The app of Slack, which checks signatures and their age. Its listeners run after the answer, so
 * the work is in a middleware.
 */
function createApp(env: Env) {
  const app = new SlackApp({
    env: { SLACK_SIGNING_SECRET: env.SLACK_SIGNING_SECRET, SLACK_BOT_TOKEN: env.SLACK_BOT_TOKEN },
    authorize: async ({ body }) => ({
      ...{ botToken: env.SLACK_BOT_TOKEN, botId: "", botScopes: [] },
      botUserId: findAppUser(body as SlackBody),
    }),
  });
  app.use(async ({ body, retryNum = 0 }) => {
    const { type, event, is_ext_shared_channel: isShared = false } = body as SlackBody;
    if (type === "event_callback" && event)
      await handleMention(env, { event, appUserId: findAppUser(body as SlackBody), isShared, repeats: retryNum });
    if (type === "block_actions") await handleClick(env, body as ClickRequest);
    return { status: 200 };
  });
  return app;
}

const findAppUser = ({ authorizations }: SlackBody): string => authorizations?.[0]?.user_id ?? "";
