// Shared previews: what anybody who holds the slug of a link may see. Nothing of it may be kept by a cache, for a link can be revoked.
import { viewSharedPreview } from "../../actions/view-shared-preview.ts";
import { ok } from "../../http/answer.ts";
import { publicEndpoint } from "../../http/endpoint.ts";
import { sharedPreviewSchema } from "../../resources/preview.ts";
import { refuse } from "../../rules/refusal.ts";
import { findSharedTarget, noteView } from "../../storage/queries/previews.ts";

const view = publicEndpoint({
  method: "GET",
  path: "/api/shared-previews/{slug}",
  summary: "See what a public link shares. Wakes a paused preview.",
  tag: "Previews",
  answers: { status: 200, data: sharedPreviewSchema },
  refusals: ["NOT_FOUND"],
  async handle({ env, now, params }) {
    const slug = params.slug ?? "";
    const target = await findSharedTarget(env.DB, slug);
    if (!target) return refuse("NOT_FOUND", "This link does not exist, or has been revoked.");
    await noteView(env.DB, slug, now);
    return ok(await viewSharedPreview(env, target, now));
  },
});

export const sharedPreviewRoutes = [view];
