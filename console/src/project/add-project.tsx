// Adds a project: its repository, name, Target Branch and workspace. What was typed stays until it
// is added.
import type { Schemas } from "@switchyard/client";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Button, buttonClass } from "../ui/button.tsx";
import { Field, NamedOptions, Select, TextInput } from "../ui/field.tsx";
import { clearSent, useKeptText } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { readRepository, toNewProject } from "./new-project.ts";
import { addProject, type Project } from "./queries.ts";
import { RepositoryField, useRepositoryChoices } from "./repository-field.tsx";

interface AddProjectProps {
  workspaces: readonly Schemas["Workspace"][];
  onAdded: (project: Project) => void;
}

export function AddProject({ workspaces, onAdded }: AddProjectProps) {
  const usable = workspaces.filter(({ suspendedAt }) => suspendedAt === null);
  const [typed, setTyped] = useKeptText("add-project-repository");
  const [typedName, setName] = useKeptText("add-project-name");
  const [branch, setBranch] = useKeptText("add-project-branch");
  const [chosen, setChosen] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const found = readRepository(typed);
  const workspaceId = usable.find(({ id }) => id === chosen)?.id ?? usable[0]?.id;
  const choices = useRepositoryChoices(workspaceId, typed);
  const wanted = toNewProject({ workspaceId, repository: typed, name: typedName, targetBranch: branch });

  async function add(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (wanted === null) return;
    setIsBusy(true);
    setError(null);
    try {
      const project = await addProject(wanted);
      setTyped(clearSent(typed));
      setName(clearSent(typedName));
      setBranch(clearSent(branch));
      onAdded(project);
    } catch (refusal) {
      setError(refusal);
    }
    setIsBusy(false);
  }

  return (
    // A refusal is of what was sent, so a change of any field ends it.
    <form onSubmit={add} onChange={() => setError(null)}>
      <p className="mt-1 mb-4 text-quiet">
        A project is a repository that sessions work on. Your account at the code host needs to be allowed to push to
        it, and the service’s app has to be installed for it.
      </p>
      <div className="space-y-4">
        <RepositoryField
          choices={choices}
          typed={typed}
          onType={(text) => {
            setTyped(text);
            setError(null);
          }}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Name">
            <TextInput
              value={typedName}
              onChange={({ target }) => setName(target.value)}
              placeholder={found?.name}
              maxLength={100}
              autoComplete="off"
              dir="auto"
            />
          </Field>
          <Field label="Target Branch">
            <TextInput
              value={branch}
              onChange={({ target }) => setBranch(target.value)}
              placeholder={choices.chosen?.defaultBranch ?? "The default branch"}
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
          </Field>
        </div>
        {usable.length > 1 && (
          <Field label="Workspace">
            <Select className="w-full" value={workspaceId} onChange={({ target }) => setChosen(target.value)}>
              <NamedOptions items={usable} />
            </Select>
          </Field>
        )}
      </div>
      {error !== null && (
        <div className="mt-4">
          <Refusal error={error}>
            <Link to="/account" className={buttonClass()}>
              Your account at the code host
            </Link>
          </Refusal>
        </div>
      )}
      <Button type="submit" kind="main" className="mt-4" disabled={wanted === null || isBusy}>
        {isBusy ? "Adding…" : "Add the project"}
      </Button>
    </form>
  );
}
