// What compiles and what does not, for users of the built library. `npm run check` compiles this
// file, and fails if one of the expected errors is missing. It is never run.
import { refused, type Schemas, Switchyard } from "@switchyard/client";

const sy = new Switchyard({ baseUrl: "https://switchyard.example.com", apiKey: () => "svc_key_one" });
const path = { projectId: "p", sessionId: "s" };
const send = "POST /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat";

export async function compileRequests(): Promise<void> {
  const models: Schemas["Model"][] = await sy.request("GET /api/models");
  const delivery = await sy.request(send, { path, body: { content: "Hello" }, idempotencyKey: "one" });
  const started: string = delivery.delivery === "job" ? delivery.chatJobId : "";
  const nothing: undefined = await sy.request("DELETE /api/projects/{projectId}/chat-sessions/{sessionId}", { path });
  const file: Blob = await sy.request(
    "GET /api/projects/{projectId}/chat-sessions/{sessionId}/attachments/{attachmentId}",
    { path: { ...path, attachmentId: "a" } },
  );
  for await (const session of sy.pages("GET /api/chat-sessions", { query: { needsYou: true, status: ["active"] } }))
    started.concat(session.title, models[0]?.label ?? "", String(nothing), file.type);

  // @ts-expect-error there is no such operation
  await sy.request("GET /api/modles");
  // @ts-expect-error a path parameter is missing
  await sy.request(send, { path: { projectId: "p" }, body: { content: "Hello" } });
  // @ts-expect-error the body is missing
  await sy.request(send, { path });
  // @ts-expect-error the body has no such field
  await sy.request(send, { path, body: { content: "Hello", texts: [] } });
  // @ts-expect-error this operation takes no Idempotency-Key
  await sy.request("GET /api/models", { idempotencyKey: "one" });
  // @ts-expect-error the answer has no such field
  models[0]?.price;
  // @ts-expect-error the list has no pages
  sy.pages("GET /api/models");
  // @ts-expect-error the query has no such value
  sy.pages("GET /api/chat-sessions", { query: { needsYou: 5 } });
}

export function compileRefusals(error: unknown): string {
  if (!refused(error, send)) return "";
  switch (error.failure.code) {
    case "QUEUE_FULL":
      return error.requestId ?? "";
    case "VALIDATION_ERROR":
      return error.failure.details[0]?.path ?? "";
    // @ts-expect-error a send is not refused with this code
    case "PROVIDER_LOGIN_LIMIT":
      return "";
    default:
      return error.message;
  }
}

export async function compileFacade(): Promise<void> {
  const session = await sy.sessions.create({ project: "acme/board", content: "Go.", model: "anthropic:opus__high" });
  const found = await sy.sessions.get("9c1e42");
  for await (const one of sy.sessions.list({ needsYou: true })) one.data.title.trim();
  const sent = await found.send("Hello", { answers: [{ question: 0, option: "Amber" }], attachments: [] });
  if (sent.delivery === "queued") await (await sent.turn())?.stop();
  const steered = await session.steer("Also this.");
  if (steered.delivery === "steer") steered.id.trim();
  const result = await session.wait({ timeoutMs: 1_000 });
  if (result?.outcome === "asks") result.questions[0]?.options[0]?.title.trim();
  if (result?.outcome === "limit") result.code?.trim();
  for await (const event of session.follow({ onLine: (line) => line.trim() })) {
    if (event.type === "delta") event.data.delta.trim();
    if (event.type === "end" && !("deleted" in event.data)) event.data.status.trim();
    // @ts-expect-error there is no such event
    if (event.type === "dleta") return;
    // @ts-expect-error a job event has no delta
    if (event.type === "job") event.data.delta;
  }
  for await (const { messages, jobs, isStale } of session.states({ limit: 50 }))
    String([messages[0]?.firstBlockIndex, jobs[0]?.status, isStale]);
  for await (const event of sy.workspace("w").follow()) if (event.type === "session") event.data.session.title.trim();
  for await (const event of sy.follow("GET /api/projects/{projectId}/deploy-messages/events", {
    path: { projectId: "p" },
  }))
    if (event.type === "deploy") event.data.deploy?.status.trim();
  await session.update({ priority: "high" });
  await session.openPullRequest({ draft: true, reviewers: ["ada"], text: "Please look." });
  await session.syncBranch();
  await session.upNext.edit("m", { content: "Other", version: 1 });
  await session.upNext.send("m");
  await session.upNext.resume();
  await session.preview.healthy();
  // @ts-expect-error a wait for the preview ends by its signal only
  await session.preview.healthy({ timeoutMs: 1_000 });
  // @ts-expect-error a wait for the sandbox ends by its signal only
  await session.preview.awake({ timeoutMs: 1_000 });
  const address: string | undefined = (await session.preview.share())?.url;
  String([address, await session.preview.log("web"), await sy.projects.find("acme/board")]);

  // @ts-expect-error a session is created in a project
  await sy.sessions.create({ content: "Go." });
  // @ts-expect-error an option is a title or a number
  await session.answer([{ question: 0, option: true }]);
  // @ts-expect-error there is no such priority
  await session.update({ priority: "highest" });
  // @ts-expect-error only a turn that failed has an error
  if (result?.outcome === "completed") result.error;
  // @ts-expect-error a path that has no stream
  sy.follow("GET /api/models", {});
}
