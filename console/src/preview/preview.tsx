// Preview: the running app of the session. Opening this tab wakes its sandbox.

import type { Session } from "@switchyard/client";
import { MousePointerClick } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useDraft } from "../composer/draft-box.ts";
import { LookAt } from "../composer/look-at.tsx";
import type { LiveSession } from "../session/live-session.ts";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Name } from "../ui/visible-text.tsx";
import { Frame } from "./frame.tsx";
import { FrameChoice, FrameTools, frameToolClass, PageFromBefore } from "./frame-bar.tsx";
import { describeCrash } from "./health.ts";
import { Limits } from "./limits.tsx";
import { LogBox } from "./log-box.tsx";
import { askPath } from "./pointing.ts";
import { PointingBar } from "./pointing-bar.tsx";
import { usePreview } from "./queries.ts";
import { Services } from "./services.tsx";
import { Share } from "./share.tsx";
import { useFrame } from "./use-frame.ts";
import { usePointing } from "./use-pointing.ts";

export function PreviewTab({ live }: { live: LiveSession }) {
  if (live.session === null) return <div aria-busy="true" className="h-full" />;
  const { status } = live.state?.session ?? live.session.data;
  if (status === "completed" || status === "archived" || status === "backlog")
    return (
      <p className="px-4 py-10 text-center text-quiet">
        {status === "backlog"
          ? "This session has not been started."
          : "This session has ended, and so has its preview."}
      </p>
    );
  return <PreviewOf key={live.session.id} session={live.session} />;
}

function PreviewOf({ session }: { session: Session }) {
  const of = { projectId: session.projectId, sessionId: session.id };
  const { state, health, preview, wake, error } = usePreview(of);
  const shown = useFrame(state, health.data);
  const { name, url, page: framePage, key: frameKey, reload } = shown;
  const pointing = usePointing(session, name, frameKey);
  const frame = useRef<HTMLIFrameElement>(null);
  // A frame that is not there yet begins with the first page.
  const readPath = async () => {
    const page = frame.current?.contentWindow;
    return page && url ? askPath((port) => page.postMessage("switchyard-path", new URL(url).origin, [port])) : "/";
  };
  const crashed = health.data?.services.flatMap(({ name, crash }) => (crash ? [{ service: name, crash }] : [])) ?? [];
  const { box } = useDraft(of);
  const askForFix = () => {
    box?.addText(crashed.map(({ service, crash }) => describeCrash(service, crash)).join("\n\n"));
    pointing.finish();
  };

  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-1 border-line border-b px-2 py-1 text-quiet">
        <FrameChoice frame={shown} />
        <span className="flex-1" />
        {url && (
          <>
            <button
              type="button"
              data-point
              aria-label="Point at an element"
              title="Point at an element of the app (e): it goes along with your next message"
              aria-pressed={pointing.isOn}
              disabled={frameKey === null}
              onClick={pointing.toggle}
              className={`${frameToolClass} ${pointing.isOn ? "bg-accent-tint text-ink" : ""}`}
            >
              <MousePointerClick className="size-4" aria-hidden="true" />
            </button>
            <LookAt session={session} frontendName={name} readPath={readPath} className={frameToolClass} />
            <FrameTools url={url} reload={reload} />
          </>
        )}
        <Share of={of} isShort />
      </div>
      {error ? (
        <div className="p-4">
          <Refusal error={error}>
            <Button onClick={wake}>Try again</Button>
          </Refusal>
        </div>
      ) : framePage !== "none" && url ? (
        <Frame key={frameKey} frame={frame} name={name} url={url} size={shown.size} pointing={pointing.layer} />
      ) : (
        <div className="grid min-h-0 flex-1 place-items-center overflow-y-auto bg-sunk p-6">
          {state === "sandbox-limit" ? (
            <Limits of={of} onWake={wake} />
          ) : state === "credit-limit" ? (
            <Said
              title="The workspace has reached its limit"
              text="Its owner can raise the limit, or wait for the next month."
            >
              <Button onClick={wake}>Try again</Button>
            </Said>
          ) : state === "asleep" ? (
            <Said title="The preview is asleep" text="Its sandbox is not running. Waking it takes a few seconds.">
              <Button kind="main" disabled={preview.isFetching} onClick={wake}>
                {preview.isFetching ? "Waking…" : "Wake"}
              </Button>
            </Said>
          ) : state === "none" ? (
            <Said title="Nothing to see here" text="No service of this project serves a page. The services are below.">
              <Button onClick={wake}>Look again</Button>
            </Said>
          ) : state === "crashed" ? (
            <Said
              title={
                <>
                  <Name>{crashed.map(({ service }) => service).join(", ")}</Name>{" "}
                  {crashed.length === 1 ? "crashes" : "crash"}
                </>
              }
              text="Each start ends like the one before. The last lines are below. Once the code is fixed, the app appears here by itself."
            >
              <Button kind="main" onClick={askForFix}>
                Write to the agent
              </Button>
            </Said>
          ) : (
            <Said title="Starting…" text="The sandbox and its services start. This continues by itself." isBusy />
          )}
        </div>
      )}
      <PageFromBefore page={framePage} onReload={reload} />
      <PointingBar pointing={pointing} />
      {crashed.map(({ service, crash }) => (
        <div key={service} className="shrink-0 border-line border-t bg-red-tint px-3 py-2 text-meta text-red-ink">
          <p>
            ✕ <Name>{service}</Name> {crash.how}
          </p>
          <LogBox text={crash.logEnd} label={`Last lines of ${service}`} className="mt-1 max-h-32" />
        </div>
      ))}
      <Services of={of} state={state} />
    </div>
  );
}

interface SaidProps {
  title: ReactNode;
  text: string;
  isBusy?: boolean;
  children?: ReactNode;
}

function Said({ title, text, isBusy = false, children }: SaidProps) {
  return (
    <div className="max-w-sm text-center" role="status" aria-busy={isBusy}>
      <h2 className="font-bold text-title">
        {isBusy && (
          <span aria-hidden="true" className="lamp mr-2 text-accent text-meta">
            ●
          </span>
        )}
        {title}
      </h2>
      <p className="mt-1 text-quiet text-ui">{text}</p>
      {children && <div className="mt-4 flex justify-center gap-2">{children}</div>}
    </div>
  );
}
