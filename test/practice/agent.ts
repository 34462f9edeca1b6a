// A small agent for tests of the practice provider: it keeps a conversation, sends it over one wire
// and reads the streamed reply.

export interface Tool {
  name: string;
  schema: object;
}

export interface Call {
  id: string;
  name: string;
  input: unknown;
}

export interface Reply {
  status: number;
  texts: string[];
  calls: Call[];
  /** How many pieces the texts came in. */
  pieces: number;
  /** The provider's name for what went wrong, over HTTP or within the stream. */
  error: string | null;
  events: string[];
}

export type Line = { user: string } | { said: Reply } | { result: string; of: string };

interface Json {
  [key: string]: Json | undefined;
}

export interface WireTalk {
  path: string;
  body(lines: Line[], tools: Tool[]): object;
  take(reply: Reply, event: Json): void;
  getError(body: Json): string;
}

/** Sends the conversation and reads the reply to its end. */
export async function send(
  url: string,
  wire: WireTalk,
  lines: Line[],
  tools: Tool[],
  key = "sk-practice-test",
): Promise<Reply> {
  const answer = await fetch(url + wire.path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ ...wire.body(lines, tools), stream: true }),
  });
  const reply: Reply = { status: answer.status, texts: [], calls: [], pieces: 0, error: null, events: [] };
  const text = await answer.text();
  if (!answer.ok) return { ...reply, error: wire.getError(JSON.parse(text)) };
  for (const [, type, data] of text.matchAll(/^event: (.*)\ndata: (.*)$/gm)) {
    reply.events.push(type ?? "");
    wire.take(reply, JSON.parse(data ?? "null"));
  }
  return reply;
}

/** Lets the agent work until the model ends the turn or fails; every tool answers with `result`. */
export async function runTurn(
  url: string,
  wire: WireTalk,
  lines: Line[],
  tools: Tool[],
  result = "fine",
): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let left = 12; left > 0; left--) {
    const reply = await send(url, wire, lines, tools);
    replies.push(reply);
    if (reply.error !== null) break;
    lines.push({ said: reply }, ...reply.calls.map((call) => ({ result, of: call.id })));
    if (reply.calls.length === 0) break;
  }
  return replies;
}

/** A message with a practice block of these steps; a text is used unchanged. */
export function script(...steps: unknown[]): string {
  const lines = steps.map((step) => (typeof step === "string" ? step : JSON.stringify(step)));
  return ["Please follow this.", "```practice", ...lines, "```"].join("\n");
}

export const anthropic: WireTalk = {
  path: "/anthropic/v1/messages",
  body: (lines, tools) => ({
    model: "claude",
    max_tokens: 1000,
    messages: lines.map((line) => {
      if ("user" in line) return { role: "user", content: line.user };
      if ("result" in line) {
        return { role: "user", content: [{ type: "tool_result", tool_use_id: line.of, content: line.result }] };
      }
      const texts = line.said.texts.map((text) => ({ type: "text", text }));
      return {
        role: "assistant",
        content: [...texts, ...line.said.calls.map((call) => ({ type: "tool_use", ...call }))],
      };
    }),
    tools: tools.map(({ name, schema }) => ({ name, input_schema: schema })),
  }),
  take(reply, event) {
    const type = String(event.type);
    const kind = String(event.delta?.type ?? event.content_block?.type);
    if (type === "error") reply.error = String(event.error?.type);
    if (type === "content_block_start" && kind === "text") reply.texts.push("");
    if (type === "content_block_start" && kind === "tool_use") {
      reply.calls.push({ id: String(event.content_block?.id), name: String(event.content_block?.name), input: "" });
    }
    if (kind === "text_delta") grow(reply, String(event.delta?.text));
    const call = reply.calls.at(-1);
    if (kind === "input_json_delta" && call) call.input = `${call.input}${event.delta?.partial_json}`;
    if (type === "message_stop" && call) call.input = JSON.parse(String(call.input));
  },
  getError: (body) => String(body.error?.type),
};

export const openai: WireTalk = {
  path: "/openai/v1/responses",
  body: (lines, tools) => ({
    model: "gpt",
    store: false,
    input: lines.flatMap((line): object[] => {
      if ("user" in line) return [{ role: "user", content: [{ type: "input_text", text: line.user }] }];
      if ("result" in line) return [{ type: "function_call_output", call_id: line.of, output: line.result }];
      const texts = line.said.texts.map((text) => ({
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text }],
      }));
      const calls = line.said.calls.map(({ id, name, input }) => ({
        type: "function_call",
        call_id: id,
        name,
        arguments: JSON.stringify(input),
      }));
      return [...texts, ...calls];
    }),
    tools: tools.map(({ name, schema }) => ({ type: "function", name, parameters: schema })),
  }),
  take(reply, event) {
    const type = String(event.type);
    if (type === "response.failed") reply.error = String(event.response?.error?.code);
    if (type === "response.content_part.added") reply.texts.push("");
    if (type === "response.output_text.delta") grow(reply, String(event.delta));
    if (type === "response.output_item.done" && String(event.item?.type) === "function_call") {
      reply.calls.push({
        id: String(event.item?.call_id),
        name: String(event.item?.name),
        input: JSON.parse(String(event.item?.arguments)),
      });
    }
  },
  getError: (body) => String(body.error?.code),
};

function grow(reply: Reply, piece: string) {
  reply.texts.push(`${reply.texts.pop() ?? ""}${piece}`);
  reply.pieces++;
}
