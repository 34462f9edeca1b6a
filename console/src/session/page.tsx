// A session: its conversation with the composer below, and a panel beside it.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { Composer } from "../composer/composer.tsx";
import { joinTexts, listTexts } from "../composer/draft.ts";
import { useDraft } from "../composer/draft-box.ts";
import { QuestionCard } from "../composer/question-card.tsx";
import { Transcript } from "../conversation/transcript.tsx";
import { useWaitingDrafts } from "../files/use-waiting-drafts.ts";
import { NothingFound } from "../shell/not-found.tsx";
import { useTitle } from "../shell/title.ts";
import { buttonClass } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { LoadingPart, lazyPart } from "../ui/lazy-part.tsx";
import { useIsPhone } from "../ui/phone.ts";
import { isClosed, Refusal } from "../ui/refusal.tsx";
import { UpNext } from "../up-next/up-next.tsx";
import { SessionHead } from "./head.tsx";
import { isNoSession, type LiveSession, useLiveSession } from "./live-session.ts";
import { findListed, sessionQuery } from "./queries.ts";
import { useSeen } from "./use-seen.ts";

const Glance = lazyPart(() => import("../pull-request/glance.tsx"), "Glance");
const loadPanel = () => import("../panel/panel.tsx");
const Panel = lazyPart(loadPanel, "Panel");
/** By then the conversation is there. */
const panelAfterMs = 3_000;

export function SessionPage() {
  const { session: sessionId } = useParams({ from: "/s/$session" });
  const { panel, file } = useSearch({ from: "/s/$session" });
  const { data: seed } = useQuery({ ...sessionQuery(sessionId), enabled: false });
  const live = useLiveSession(sessionId);
  const isPhone = useIsPhone();
  // Who may no longer read the session sees nothing of what was read before.
  const isHidden = isClosed(live.error);
  const session = isHidden ? null : (live.state?.session ?? live.session?.data ?? seed ?? findListed(sessionId));
  useTitle(session?.title ?? null);
  useSeen(session, live.state !== null);
  useWaitingDrafts(live, panel === "files" ? file : undefined);
  // The frame of the panel is there when it is opened, also without a connection.
  useEffect(() => {
    const loading = setTimeout(() => loadPanel().catch(() => {}), panelAfterMs);
    return () => clearTimeout(loading);
  }, []);
  if (live.state?.isDeleted) return <DeletedSession session={live.session} />;
  if (isNoSession(live.error)) return <NothingFound what="session" />;
  if (isHidden)
    return (
      <main className="mx-auto flex h-full w-full max-w-3xl flex-col gap-3 overflow-y-auto p-4">
        <h1 className="font-bold text-heading">You cannot open this session</h1>
        <Refusal error={live.error}>
          <Link to="/" className={buttonClass()}>
            To your inbox
          </Link>
        </Refusal>
        <UnsentTexts session={live.session} />
      </main>
    );
  return (
    <div className="flex h-full min-w-0">
      <main
        className={`flex h-full min-w-0 flex-1 flex-col ${panel ? "max-lg:hidden" : ""}`}
        aria-busy={live.state === null}
      >
        {session && <SessionHead session={session} live={live} />}
        {live.error !== null && (
          <div className="mx-auto w-full max-w-3xl p-4">
            {!session && <h1 className="mb-3 font-bold text-heading">You cannot open this session</h1>}
            <Refusal error={live.error}>
              <Link to="/" className={buttonClass()}>
                To your inbox
              </Link>
            </Refusal>
          </div>
        )}
        {live.state ? (
          <Transcript live={live} state={live.state}>
            {isPhone && session?.status === "under-review" && (
              <Suspense fallback={null}>
                <Glance live={live} />
              </Suspense>
            )}
          </Transcript>
        ) : (
          <div className="flex-1">
            {live.error === null && (
              <p role="status" className="appear-late py-16 text-center text-quiet">
                Reading the conversation…
              </p>
            )}
          </div>
        )}
        <div className="mx-auto w-full max-w-3xl px-4 pb-4">
          <QuestionCard live={live} />
          <UpNext live={live} />
          <Composer live={live} />
        </div>
      </main>
      {panel && (
        <Suspense fallback={<LoadingPart />}>
          <Panel live={live} name={panel} />
        </Suspense>
      )}
    </div>
  );
}

const DeletedSession = ({ session }: Pick<LiveSession, "session">) => (
  <main className="mx-auto flex h-full w-full max-w-3xl flex-col gap-4 overflow-y-auto p-6">
    <div>
      <h1 className="font-bold text-heading">This session was deleted</h1>
      <p className="mt-1 text-quiet">Somebody deleted it while you had it open.</p>
    </div>
    <UnsentTexts session={session} />
    <Link to="/" className={`${buttonClass("main")} self-start`}>
      To your inbox
    </Link>
  </main>
);

/** What the person had written in a session that is closed to them: they can send it elsewhere. */
function UnsentTexts({ session }: Pick<LiveSession, "session">) {
  const { draft } = useDraft(session && { projectId: session.projectId, sessionId: session.id });
  const text = listTexts(draft).reduce(joinTexts, "");
  if (text === "") return null;
  return (
    <section aria-label="What you were writing" className="rounded-card border border-line bg-panel p-4">
      <div className="mb-2 flex items-center justify-between gap-2">
        <h2 className="font-bold">What you were writing</h2>
        <CopyButton text={text} />
      </div>
      <p dir="auto" className="whitespace-pre-wrap text-prose [overflow-wrap:anywhere]">
        {text}
      </p>
    </section>
  );
}
