// The files and the long tool outputs of the Deploy Chat.
import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { toDownload, toTextDownload } from "../../http/response.ts";
import { refuse } from "../../rules/refusal.ts";
import { findAttachment } from "../../storage/attachments.ts";
import { findOutput, isBlockPlace } from "../../storage/outputs.ts";

const path = "/api/projects/{projectId}/deploy-messages";
const tag = "Deploys";
const fileBytes = z.string().meta({ description: "The bytes of the file.", format: "binary", examples: ["%PDF-1.7"] });
const outputText = z.string().meta({ description: "The output.", examples: ["added 42 packages\n"] });

const readAttachment = endpoint({
  method: "GET",
  path: `${path}/attachments/{attachmentId}`,
  operation: "downloadDeployAttachment",
  summary: "Download a file of the Deploy Chat.",
  tag,
  access: "deploy.read",
  noun: "project",
  response: { status: 200, mediaType: "*/*", data: fileBytes },
  async handle({ env, found, params }) {
    const owner = { type: "project", id: found.project.id } as const;
    const file = await findAttachment(env.STORE, owner, params.attachmentId);
    if (!file) return refuse("NOT_FOUND", "There is no such attachment in this Deploy Chat.");
    return toDownload(file);
  },
});

const readOutput = endpoint({
  method: "GET",
  path: `${path}/streams/{streamId}/outputs/{place}`,
  operation: "readDeployToolOutput",
  summary: "Read the whole output of a tool.",
  tag,
  access: "deploy.read",
  noun: "project",
  response: { status: 200, mediaType: "text/plain", data: outputText },
  async handle({ env, found, params }) {
    const { streamId: turnId, place } = params;
    const id = { owner: { type: "project", id: found.project.id }, turnId, place } as const;
    const output = isBlockPlace(place) ? await findOutput(env.STORE, id) : null;
    if (!output)
      return refuse("NOT_FOUND", "No output is stored there. If an output is short, its block has all of it.");
    return toTextDownload(output.body);
  },
});

export const deployFileRoutes = [readAttachment, readOutput];
