// Long tool outputs as a whole. The transcript shows only their beginning.
import * as z from "zod";
import { download } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refuse } from "../../rules/refusal.ts";
import { getOutput, isBlockPlace, type OutputId } from "../../storage/outputs.ts";

const outputText = z.string().meta({ description: "The output.", examples: ["12 tests passed\n"] });

const readOutput = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat/{jobId}/outputs/{place}",
  operation: "readToolOutput",
  summary: "Read the whole output of a tool whose block shows a part of it.",
  tag: "Turns",
  access: "session.read",
  noun: "session",
  answers: { status: 200, mediaType: "text/plain", data: outputText },
  async handle({ env, found, params }) {
    const { jobId: turnId = "", place = "" } = params;
    const id: OutputId = { owner: { type: "session", id: found.session.id }, turnId, place };
    const output = isBlockPlace(place) ? await getOutput(env.STORE, id) : null;
    if (!output) return refuse("NOT_FOUND", "No output is kept there. The block holds all of a short one.");
    return download(output.body, new Headers({ "content-type": "text/plain; charset=utf-8" }));
  },
});

export const outputRoutes = [readOutput];
