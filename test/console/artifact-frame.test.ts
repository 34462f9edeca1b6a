// The frame of an artifact that an agent made.
import type { Schemas } from "@switchyard/client";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ArtifactContent } from "../../console/src/artifacts/content.tsx";

test("a mockup runs its scripts, and can neither open windows nor reach the page", () => {
  const at = "2026-11-29T12:00:00Z";
  const artifact = {
    ...{ id: "artifact", slug: "board", title: "The board", kind: "html", version: 1, createdAt: at, updatedAt: at },
    ...{ body: "<h1>Departures</h1>", url: null, mediaType: null, byteSize: null },
    ...{ viewUrl: "https://artifacts.example/view/1", viewUrlExpiresAt: at },
  } satisfies Schemas["Artifact"];
  const html = renderToStaticMarkup(createElement(ArtifactContent, { artifact }));
  expect(html).toContain(' sandbox="allow-scripts"');
});
