// The Prototypes of a project: the list, and one of them.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { artifactKinds } from "../artifacts/content.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { Ago } from "../ui/time.tsx";
import { Name } from "../ui/visible-text.tsx";
import { useProject } from "./current.ts";
import { Prototype } from "./prototype.tsx";
import { prototypesQuery } from "./prototype-calls.ts";

export function Prototypes() {
  const { id } = useProject();
  const { prototype: chosen } = useSearch({ from: "/p/$project/prototypes" });
  if (chosen !== undefined) return <Prototype key={chosen} projectId={id} prototypeId={chosen} />;
  return <List projectId={id} />;
}

function List({ projectId }: { projectId: string }) {
  const { data, error } = useQuery(prototypesQuery(projectId));
  return (
    <Section
      title="Prototypes"
      text="Variants of a document or a mockup, made before the work begins. Copied onto a session of the Backlog, the agent works from them."
    >
      {error && <Refusal error={error} />}
      {data?.length === 0 && (
        <p className="text-quiet">
          There are none yet. The agent of a session makes one if you ask for it. A program with your API key can make
          one, too:{" "}
          <a
            href="/docs/api/artifacts#createPrototype"
            target="_blank"
            rel="noopener"
            className="text-ink underline decoration-line-strong underline-offset-2 hover:decoration-current"
          >
            how to make a Prototype
          </a>
          .
        </p>
      )}
      {data && data.length > 0 && (
        <ul className="-mx-2 divide-y divide-line">
          {data.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Row({ row: { id, projectId, title, variants, createdAt } }: { row: Schemas["PrototypeRow"] }) {
  const { Icon } = artifactKinds[variants[0]?.kind ?? "markdown"];
  return (
    <li>
      <Link
        to="/p/$project/prototypes"
        params={{ project: projectId }}
        search={{ prototype: id }}
        data-row
        className="flex min-h-14 items-center gap-3 rounded-control px-2 py-2 hover:bg-sunk"
      >
        <Icon className="size-5 shrink-0 text-accent" aria-hidden="true" />
        <span className="min-w-0 flex-1">
          <Name className="block truncate font-medium" title={title}>
            {title}
          </Name>
          <span className="block truncate text-meta text-quiet">{variants.map(({ name }) => name).join(", ")}</span>
        </span>
        <span className="shrink-0 text-meta text-quiet">
          <Ago at={createdAt} />
        </span>
      </Link>
    </li>
  );
}
