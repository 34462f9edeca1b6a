// Artifacts: what the agent has made to be looked at, newest first, and one of them.
import type { Session } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ArrowLeft, ExternalLink } from "lucide-react";
import { useOpenPanel } from "../panel/open-panel.ts";
import type { LiveSession } from "../session/live-session.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";
import { toVisibleName } from "../ui/visible.ts";
import { Name } from "../ui/visible-text.tsx";
import { ArtifactContent, artifactKinds } from "./content.tsx";
import { artifactQuery, artifactsQuery } from "./queries.ts";

export function Artifacts({ live }: { live: LiveSession }) {
  const { file: artifactId } = useSearch({ from: "/s/$session" });
  if (live.session === null) return <div aria-busy="true" className="h-full" />;
  if (artifactId !== undefined) return <Artifact key={artifactId} session={live.session} artifactId={artifactId} />;
  return <List session={live.session} />;
}

function List({ session }: { session: Session }) {
  const open = useOpenPanel();
  const { data, error, refetch } = useQuery(artifactsQuery(session));
  return (
    <div className="h-full overflow-y-auto p-3">
      {error ? (
        <Refusal error={error}>
          <Button onClick={() => refetch()}>Try again</Button>
        </Refusal>
      ) : null}
      {data?.length === 0 && (
        <p className="px-4 py-10 text-center text-quiet">
          None yet. Ask the agent for a document, a mockup, a screenshot or a video.
        </p>
      )}
      <ul className="flex flex-col gap-2">
        {data?.map(({ id: artifactId, title, kind, version, updatedAt }) => {
          const { word, Icon } = artifactKinds[kind];
          return (
            <li key={artifactId}>
              <button
                type="button"
                onClick={() => open("artifacts", artifactId)}
                className="flex min-h-14 w-full items-center gap-3 rounded-block border border-line px-3 py-2 text-left hover:bg-sunk"
              >
                <Icon className="size-5 shrink-0 text-accent" aria-hidden="true" />
                <span className="min-w-0 flex-1">
                  <Name className="block truncate font-medium text-ui" title={title}>
                    {title}
                  </Name>
                  <span className="text-meta text-quiet">
                    {word}
                    {version > 1 && `, version ${version}`} · <Ago at={updatedAt} />
                  </span>
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Artifact({ session, artifactId }: { session: Session; artifactId: string }) {
  const open = useOpenPanel();
  const { data, error, refetch } = useQuery(artifactQuery(session, artifactId));
  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 items-center gap-2 border-line border-b px-2 py-1.5">
        <Button kind="bare" aria-label="Back to all artifacts" title="Back" onClick={() => open("artifacts")}>
          <ArrowLeft className="size-4" aria-hidden="true" />
        </Button>
        <h2 className="min-w-0 flex-1 font-bold text-title" title={data && toVisibleName(data.title)}>
          <Name className="block truncate">{data?.title}</Name>
        </h2>
        {data?.url && (
          <a href={data.url} target="_blank" rel="noopener noreferrer" className={buttonClass("bare")}>
            <ExternalLink className="size-4" aria-hidden="true" /> Open
          </a>
        )}
      </div>
      <section
        aria-label="Content"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it.
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto outline-offset-[-2px]"
      >
        {error ? (
          <div className="p-3">
            <Refusal error={error}>
              <Button onClick={() => refetch()}>Try again</Button>
            </Refusal>
          </div>
        ) : null}
        {data && <ArtifactContent artifact={data} />}
      </section>
    </div>
  );
}
