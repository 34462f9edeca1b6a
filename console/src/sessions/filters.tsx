// Search and filters of the list. Each of them is a part of the address.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { useUserId } from "../shell/profile.ts";
import { fieldClass, NamedOptions, Select } from "../ui/field.tsx";
import { membersQuery } from "./queries.ts";
import { readSessionsSearch, type SessionsSearch, sortChoices, statusChoices, statusWords } from "./search.ts";

const typingMs = 250;

export function Filters({ search, projects }: { search: SessionsSearch; projects: Schemas["Project"][] }) {
  const navigate = useNavigate({ from: "/sessions" });
  const [text, setText] = useState(search.q ?? "");
  const me = useUserId();
  const workspaceIds = [...new Set(projects.map(({ orgId }) => orgId))];
  const { data: members = [] } = useQuery(membersQuery(workspaceIds));
  const change = (changed: Partial<Record<keyof SessionsSearch, string | undefined>>) =>
    navigate({ search: (now) => readSessionsSearch({ ...now, ...changed, page: 1 }), replace: true });

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed starts a search.
  useEffect(() => {
    if (text.trim() === (search.q ?? "")) return;
    const timer = setTimeout(() => change({ q: text.trim() || undefined }), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  // A link or the back button brings another search.
  useEffect(() => {
    setText((now) => (now.trim() === (search.q ?? "") ? now : (search.q ?? "")));
  }, [search.q]);

  return (
    <search className="flex flex-wrap gap-2">
      <span className="relative min-w-52 flex-1 max-sm:basis-full">
        <Search
          className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-quiet"
          aria-hidden="true"
        />
        <input
          type="search"
          value={text}
          onChange={({ target }) => setText(target.value)}
          placeholder="Title or prompt"
          aria-label="Search in titles and prompts"
          dir="auto"
          className={`${fieldClass} pl-9!`}
        />
      </span>
      {search.view !== "board" && (
        <Select
          aria-label="Status"
          className="max-sm:flex-1 max-sm:basis-2/5"
          value={search.status ?? ""}
          onChange={({ target }) => change({ status: target.value || undefined })}
        >
          <option value="">Not ended</option>
          {statusChoices.map((one) => (
            <option key={one} value={one}>
              {one === "any" ? "Any status" : statusWords[one]}
            </option>
          ))}
        </Select>
      )}
      {projects.length > 1 && (
        <Select
          aria-label="Project"
          className="max-w-48 max-sm:flex-1 max-sm:basis-2/5"
          value={search.project ?? ""}
          onChange={({ target }) => change({ project: target.value || undefined })}
        >
          <option value="">All projects</option>
          <NamedOptions items={projects} />
        </Select>
      )}
      <Select
        aria-label="Assignee"
        className="max-w-48 max-sm:flex-1 max-sm:basis-2/5"
        value={search.assignee ?? ""}
        onChange={({ target }) => change({ assignee: target.value || undefined })}
      >
        <option value="">Anybody</option>
        <option value="me">Me</option>
        <option value="none">Nobody</option>
        <option value="service">Switchyard</option>
        {members
          .filter(({ userId }) => userId !== me)
          .map(({ userId, name }) => (
            <option key={userId} value={userId}>
              {name}
            </option>
          ))}
      </Select>
      {search.view !== "board" && (
        <Select
          aria-label="Order"
          className="max-sm:flex-1 max-sm:basis-2/5"
          value={search.sort ?? ""}
          onChange={({ target }) => change({ sort: target.value || undefined })}
        >
          <option value="">Last change</option>
          {sortChoices.map((one) => (
            <option key={one} value={one}>
              {one === "created" ? "Newest" : "Most urgent"}
            </option>
          ))}
        </Select>
      )}
    </search>
  );
}
