// The main preview of a project: the app as the main sandbox runs it, and its services. Opening
// this part wakes the sandbox.
import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import { Frame } from "../preview/frame.tsx";
import { FrameChoice, FrameTools, PageFromBefore } from "../preview/frame-bar.tsx";
import { Limits } from "../preview/limits.tsx";
import { usePreview } from "../preview/queries.ts";
import { Services } from "../preview/services.tsx";
import { useFrame } from "../preview/use-frame.ts";
import { buttonClass } from "../ui/button.tsx";
import { Section } from "../ui/section.tsx";
import { useProject } from "./current.ts";
import { MainPreview, mainPreviewText } from "./main-preview.tsx";

export function PreviewPart() {
  const { id, deployStatus } = useProject();
  if (deployStatus !== "idle") return <Running projectId={id} />;
  return (
    <Section title="Main preview" text={mainPreviewText}>
      <p className="mb-4 text-quiet">There is no main sandbox yet. The first Deploy makes it.</p>
      <Link to="/p/$project/deploy" params={{ project: id }} className={buttonClass("main")}>
        Deploy it
      </Link>
    </Section>
  );
}

function Running({ projectId }: { projectId: string }) {
  const of = { projectId };
  const preview = usePreview(of);
  const { state, health, wake } = preview;
  const shown = useFrame(state, health.data);
  const { name, url, size, page, key, reload } = shown;
  const frame = useRef<HTMLIFrameElement>(null);
  return (
    <>
      <Section title="Main preview" text={mainPreviewText}>
        <MainPreview of={of} preview={preview} />
        {state === "sandbox-limit" && (
          <div className="mt-4">
            <Limits of={of} onWake={wake} />
          </div>
        )}
        {page !== "none" && url && (
          <div className="mt-4 flex h-[65dvh] min-h-96 flex-col overflow-hidden rounded-block border border-line">
            <div className="flex shrink-0 flex-wrap items-center gap-1 border-line border-b px-2 py-1 text-quiet">
              <FrameChoice frame={shown} />
              <span className="flex-1" />
              <FrameTools url={url} reload={reload} />
            </div>
            <Frame key={key} frame={frame} name={name} url={url} size={size} pointing={null} />
            <PageFromBefore page={page} onReload={reload} />
          </div>
        )}
      </Section>
      <div className="mt-6 overflow-hidden rounded-card border border-line bg-panel empty:hidden [&>section]:border-t-0">
        <Services of={of} state={state} />
      </div>
    </>
  );
}
