// Artifacts: what the agent has made to be looked at, newest first, and one of them.
import type { Schemas, Session } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ArrowLeft, ExternalLink, FileText, Image, MonitorPlay, PenLine } from "lucide-react";
import { useState } from "react";
import { service } from "../api.ts";
import { Markdown } from "../conversation/markdown.tsx";
import { useOpenPanel } from "../panel/open-panel.ts";
import type { LiveSession } from "../session/live-session.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Ago } from "../ui/time.tsx";

const base = "/api/projects/{projectId}/chat-sessions/{sessionId}/artifacts";

const kinds: Record<Schemas["ArtifactKind"], { word: string; Icon: typeof FileText }> = {
  markdown: { word: "Document", Icon: FileText },
  html: { word: "Mockup", Icon: PenLine },
  image: { word: "Image", Icon: Image },
  video: { word: "Video", Icon: MonitorPlay },
};

export function Artifacts({ live }: { live: LiveSession }) {
  const { file: artifactId } = useSearch({ from: "/s/$session" });
  if (live.session === null) return <div aria-busy="true" className="h-full" />;
  if (artifactId !== undefined) return <Artifact key={artifactId} session={live.session} artifactId={artifactId} />;
  return <List session={live.session} />;
}

function List({ session: { projectId, id } }: { session: Session }) {
  const open = useOpenPanel();
  const { data, error, refetch } = useQuery({
    queryKey: ["artifacts", id],
    queryFn: async ({ signal }) =>
      (await service.request(`GET ${base}`, { path: { projectId, sessionId: id }, signal })).artifacts,
    staleTime: 0,
  });
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
          const { word, Icon } = kinds[kind];
          return (
            <li key={artifactId}>
              <button
                type="button"
                onClick={() => open("artifacts", artifactId)}
                className="flex min-h-14 w-full items-center gap-3 rounded-block border border-line px-3 py-2 text-left hover:bg-sunk"
              >
                <Icon className="size-5 shrink-0 text-accent" aria-hidden="true" />
                <span className="min-w-0 flex-1">
                  <bdi className="block truncate font-medium text-ui" title={title}>
                    {title}
                  </bdi>
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

function Artifact({ session: { projectId, id }, artifactId }: { session: Session; artifactId: string }) {
  const open = useOpenPanel();
  const { data, error, refetch } = useQuery({
    // The list's key is its beginning: a turn's end makes both be read again.
    queryKey: ["artifacts", id, artifactId],
    queryFn: ({ signal }) =>
      service.request(`GET ${base}/{artifactId}`, { path: { projectId, sessionId: id, artifactId }, signal }),
  });
  return (
    <div className="flex h-full flex-col">
      <div className="flex shrink-0 items-center gap-2 border-line border-b px-2 py-1.5">
        <Button kind="bare" aria-label="Back to all artifacts" title="Back" onClick={() => open("artifacts")}>
          <ArrowLeft className="size-4" aria-hidden="true" />
        </Button>
        <h2 className="min-w-0 flex-1 truncate font-bold text-title" title={data?.title}>
          <bdi>{data?.title}</bdi>
        </h2>
        {data?.url && (
          <a href={data.url} target="_blank" rel="noopener noreferrer" className={buttonClass("bare")}>
            <ExternalLink className="size-4" aria-hidden="true" /> Open
          </a>
        )}
      </div>
      <div className="min-h-0 flex-1 overflow-auto">
        {error ? (
          <div className="p-3">
            <Refusal error={error}>
              <Button onClick={() => refetch()}>Try again</Button>
            </Refusal>
          </div>
        ) : null}
        {data && <Content artifact={data} />}
      </div>
    </div>
  );
}

/** The address under which it was opened first is loaded: a new one would load the same again. */
function Framed({ title, url }: { title: string; url: string }) {
  const [src] = useState(url);
  return (
    <iframe
      src={src}
      title={title}
      sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
      allow="fullscreen"
      referrerPolicy="no-referrer"
      className="block h-full w-full border-0 bg-white"
    />
  );
}

function Content({ artifact }: { artifact: Schemas["Artifact"] }) {
  const { id, version, kind, title, body, url, mediaType, byteSize, viewUrl } = artifact;
  if (kind === "markdown")
    return (
      <div className="p-4 text-prose">
        <Markdown text={body ?? ""} />
      </div>
    );
  if (viewUrl !== null) return <Framed key={`${id} ${version}`} title={title} url={viewUrl} />;
  if (url === null) return null;
  return (
    <div className="px-4 py-10 text-center">
      <p className="text-quiet">
        {mediaType}
        {byteSize !== null && `, ${Math.max(1, Math.round(byteSize / 1_024))} KB`}
      </p>
      <a href={url} target="_blank" rel="noopener noreferrer" className={`${buttonClass("main")} mt-4`}>
        <ExternalLink className="size-4" aria-hidden="true" /> Open the {kind}
      </a>
    </div>
  );
}
