// The model catalog, which is the same for everybody, whatever they can run.
import * as z from "zod";
import { ok } from "../http/answer.ts";
import { endpoint } from "../http/endpoint.ts";
import { catalog } from "../models/catalog.ts";
import { modelOnWire, modelSchema } from "../resources/model.ts";

const list = endpoint({
  method: "GET",
  path: "/api/models",
  operation: "listModels",
  summary: "Read the model catalog.",
  tag: "Models",
  access: "models.read",
  noun: "none",
  answers: { status: 200, data: z.array(modelSchema) },
  async handle({ env }) {
    return ok(catalog.map((entry) => modelOnWire(entry, env.MODEL_LABEL_NOTE)));
  },
});

export const modelRoutes = [list];
