// The artifacts of a cron or of one run, as links that open them over the run.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { artifactKinds } from "../artifacts/content.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { Ago } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import { type CronPath, cronArtifactsQuery } from "./queries.ts";

type Row = Schemas["CronArtifactRow"];

/** The newest artifacts of a cron; nothing while it has none. */
export function CronArtifacts({ path }: { path: CronPath }) {
  const { data, error } = useQuery(cronArtifactsQuery(path));
  if (error && !data)
    return (
      <div className="mt-6">
        <Refusal error={error} />
      </div>
    );
  if (!data || data.total === 0) return null;
  const isCut = data.total > data.artifacts.length;
  return (
    <Section
      title="Artifacts"
      text={
        isCut
          ? `The newest ${data.artifacts.length} of ${data.total}.`
          : "What the runs have created for people to look at."
      }
    >
      <ArtifactLinks path={path} artifacts={data.artifacts} hasProject />
    </Section>
  );
}

interface ArtifactLinksProps {
  path: CronPath;
  artifacts: readonly Row[];
  /** True where the artifacts are of several runs. */
  hasProject?: boolean;
}

export function ArtifactLinks({ path: { workspaceId, cronId }, artifacts, hasProject = false }: ArtifactLinksProps) {
  return (
    <ul className="flex flex-col gap-2">
      {artifacts.map(({ id, runId, title, kind, version, projectName, updatedAt }) => {
        const { word, Icon } = artifactKinds[kind];
        return (
          <li key={id}>
            <Link
              to="/crons/$cron/runs/$run"
              params={{ cron: cronId, run: runId }}
              search={{ workspace: workspaceId, artifact: id }}
              resetScroll={false}
              className="flex min-h-14 items-center gap-3 rounded-block border border-line px-3 py-2 hover:bg-sunk"
            >
              <Icon className="size-5 shrink-0 text-accent" aria-hidden="true" />
              <span className="min-w-0 flex-1">
                <Name className="block truncate font-medium" title={title}>
                  {title}
                </Name>
                <span className="block truncate text-meta text-quiet">
                  {word}
                  {version > 1 && `, version ${version}`} · <Ago at={updatedAt} />
                  {hasProject && (
                    <>
                      {" "}
                      · <Name>{projectName}</Name>
                    </>
                  )}
                </span>
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
