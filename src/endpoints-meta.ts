// The public liveness check.
import * as z from "zod";
import { publicEndpoint } from "./http/endpoint.ts";
import { ok } from "./http/response.ts";

const meta = publicEndpoint({
  method: "GET",
  path: "/api/meta",
  operation: "readMeta",
  summary: "Check that the service is there.",
  tag: "Service",
  // Monitors and caches add parameters of their own.
  query: z.looseObject({}),
  answers: { status: 200, data: z.object({}) },
  async handle() {
    return ok({});
  },
});

export const metaRoutes = [meta];
