// The route of the model catalog, which is the same for everybody, regardless of the models they
// can run.
import * as z from "zod";
import { endpoint } from "../http/endpoint.ts";
import { ok } from "../http/response.ts";
import { catalog } from "./catalog.ts";
import type { ProviderId } from "./rules/provider.ts";
import { modelSchema, toWireModel } from "./wire.ts";

const list = endpoint({
  method: "GET",
  path: "/api/models",
  operation: "listModels",
  summary: "Read the model catalog.",
  tag: "Models",
  access: "models.read",
  noun: "none",
  hasETag: true,
  response: { status: 200, data: z.array(modelSchema) },
  async handle({ env }) {
    const notes: Partial<Record<ProviderId, string>> = JSON.parse(env.MODEL_LABEL_NOTES || "{}");
    return ok(catalog.map((entry) => toWireModel(entry, notes[entry.provider])));
  },
});

export const modelRoutes = [list];
