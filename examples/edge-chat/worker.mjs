// A chat for the visitors of a site: a page posts to /chat, and follows /chat with an EventSource.
// The API key stays here. The cookie of a visitor has a secret that only their session has too.
import { Switchyard } from "@switchyard/client";

export default {
  async fetch(request, env) {
    const handle = { "GET /chat": follow, "POST /chat": send }[`${request.method} ${new URL(request.url).pathname}`];
    if (!handle) return new Response("Not found", { status: 404 });
    const sy = new Switchyard({ baseUrl: env.SWITCHYARD_URL, apiKey: env.SWITCHYARD_API_KEY, client: "edge-chat/1.0" });
    try {
      return await handle(request, await findSession(request, sy), sy, env);
    } catch (error) {
      // What the service says is for your log, and not for visitors.
      console.error(error);
      return Response.json({ error: "The chat does not answer. Try again in a minute." }, { status: 503 });
    }
  },
};

/** The session of the visitor; null if they have none that takes messages. */
async function findSession(request, sy) {
  const [, id, visitor] = /\bchat=([\da-f-]{36})\.([\da-f-]{36})/.exec(request.headers.get("cookie") ?? "") ?? [];
  const forget = (error) => (error.status === 404 ? null : Promise.reject(error));
  const session = id && (await sy.sessions.get(id).catch(forget));
  return session && session.data.metadata.visitor === visitor && session.data.status === "active" ? session : null;
}

async function send(request, found, sy, { LIMIT, SWITCHYARD_PROJECT_ID: project }) {
  const { success } = await LIMIT.limit({ key: request.headers.get("cf-connecting-ip") });
  if (!success) return Response.json({ error: "Wait a minute." }, { status: 429 });
  const { text } = await request.json().catch(() => ({}));
  if (typeof text !== "string" || !/\S/.test(text) || text.length > 4_000)
    return Response.json({ error: "Send { text } with 1 to 4,000 characters." }, { status: 400 });
  const about = { title: "A visitor", metadata: { visitor: crypto.randomUUID() }, spendLimitUsd: 1 };
  const session = found ?? (await sy.sessions.create({ project, ...about }));
  // A page that repeats a message under its key sends it once.
  await session.send(text, { idempotencyKey: request.headers.get("idempotency-key") ?? undefined });
  const chat = `${session.id}.${session.data.metadata.visitor}`;
  const cookie = `chat=${chat}; Path=/chat; Max-Age=604800; HttpOnly; Secure; SameSite=Strict`;
  return new Response(null, { status: 204, headers: { "set-cookie": cookie } });
}

/** Streams the session. An EventSource that was cut comes back with the last id that it has. */
function follow(request, session) {
  // An EventSource that gets 204 does not come back.
  if (!session) return new Response(null, { status: 204 });
  const leaving = new AbortController();
  const lastEventId = request.headers.get("last-event-id");
  const events = session.follow({ lastEventId, signal: leaving.signal })[Symbol.asyncIterator]();
  const body = new ReadableStream({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done) return controller.close();
      const data = toShown(value);
      const text = data ? `id: ${value.id}\nevent: ${value.type}\ndata: ${JSON.stringify(data)}\n\n` : ":\n\n";
      controller.enqueue(new TextEncoder().encode(text));
    },
    cancel: () => leaving.abort(),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });
}

/** What visitors see of an event: words. Tools, errors and names are for the team: null. */
function toShown({ type, data: { messageId, index, role, block, delta, status } }) {
  if (type === "delta") return { messageId, index, delta };
  if (type === "end") return { status };
  const { content: text, clarificationData } = block ?? {};
  if (block?.type === "text") return { messageId, index, role, text };
  return clarificationData ? { messageId, index, role, questions: clarificationData.questions } : null;
}
