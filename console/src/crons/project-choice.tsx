// The projects that a cron is sent to: check boxes, with a search where there are many.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Name } from "../ui/visible-text.tsx";
import { workspaceProjectsQuery } from "./queries.ts";

/** With more projects than this, a person types a part of a name. */
const shownMany = 8;

interface ProjectChoiceProps {
  workspaceId: string;
  chosen: readonly string[];
  onChange: (projectIds: string[]) => void;
}

export function ProjectChoice({ workspaceId, chosen, onChange }: ProjectChoiceProps) {
  const { data: projects, error, refetch } = useQuery(workspaceProjectsQuery(workspaceId));
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const shown = (projects ?? []).filter(({ id, name }) => chosen.includes(id) || name.toLowerCase().includes(wanted));
  return (
    <fieldset aria-busy={projects === undefined}>
      <legend className="mb-1 font-medium text-ui">Projects</legend>
      {error && (
        <Refusal error={error}>
          <Button onClick={() => refetch()}>Try again</Button>
        </Refusal>
      )}
      {projects?.length === 0 && (
        <p className="text-quiet text-ui">
          The workspace has no projects yet.{" "}
          <Link to="/projects" search={{ add: true }} className="text-accent underline underline-offset-2">
            Add a project
          </Link>
        </p>
      )}
      {projects && projects.length > shownMany && (
        <TextInput
          type="search"
          value={text}
          onChange={({ target }) => setText(target.value)}
          placeholder="A part of the name"
          aria-label="Search the projects"
          className="mb-2"
          autoComplete="off"
          dir="auto"
        />
      )}
      <ul className="max-h-60 overflow-y-auto rounded-control border border-line px-3 py-1 empty:hidden">
        {shown.map(({ id, name }) => (
          <li key={id}>
            <label className="flex min-h-9 cursor-pointer items-center gap-2 pointer-coarse:min-h-11">
              <input
                type="checkbox"
                className="size-4 shrink-0 accent-accent"
                checked={chosen.includes(id)}
                onChange={({ target }) =>
                  onChange(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
                }
              />
              <Name className="min-w-0 truncate" title={name}>
                {name}
              </Name>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
