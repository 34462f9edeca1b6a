// What compiles and what does not, for users of the built library. `npm run check` compiles this
// file, and fails if one of the expected errors is missing. It is never run.
import { refused, type Schemas, Switchyard } from "@switchyard/client";

const sy = new Switchyard({ baseUrl: "https://switchyard.example.com", apiKey: () => "svc_key_one" });
const path = { projectId: "p", sessionId: "s" };
const send = "POST /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat";

export async function compileRequests(): Promise<void> {
  const models: Schemas["Model"][] = await sy.request("GET /api/models");
  const delivery = await sy.request(send, { path, body: { content: "Hello" }, idempotencyKey: "one" });
  const started: string = delivery.delivery === "job" ? delivery.chatJobId : delivery.queuedMessageId;
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
