// The settings of a project, each section with a save of its own, and its deletion.
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { BranchInput } from "../pull-request/choices.tsx";
import { Button } from "../ui/button.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { useProject } from "./current.ts";
import { DeleteProject } from "./delete-project.tsx";
import { changeProject, type Project, settingsQuery } from "./queries.ts";
import { SaveBar } from "./save-bar.tsx";
import { ServicesForm } from "./services-form.tsx";
import { SetupForm, SparesForm, VariablesForm } from "./settings-sections.tsx";

export function Settings() {
  const project = useProject();
  const { data: settings, error, refetch } = useQuery(settingsQuery(project.id));
  return (
    <>
      <Names project={project} />
      {error && !settings && (
        <div className="mt-6">
          <Refusal error={error}>
            <Button onClick={() => refetch()}>Try again</Button>
          </Refusal>
        </div>
      )}
      {settings && (
        <>
          <SetupForm projectId={project.id} settings={settings} />
          <ServicesForm projectId={project.id} settings={settings} />
          <VariablesForm projectId={project.id} settings={settings} />
          <SparesForm projectId={project.id} settings={settings} />
        </>
      )}
      <DeleteProject project={project} />
    </>
  );
}

function Names({ project }: { project: Project }) {
  const [changes, setChanges] = useState<Partial<Pick<Project, "name" | "targetBranch">>>({});
  const [error, setError] = useState<unknown>(null);
  const [state, setState] = useState<"saved" | "saving" | null>(null);
  const shown = { ...project, ...changes };
  const [name, targetBranch] = [shown.name.trim(), shown.targetBranch.trim()];
  const body = {
    ...(name === project.name ? {} : { name }),
    ...(targetBranch === project.targetBranch ? {} : { targetBranch }),
  };
  const change = (changed: typeof changes) => {
    setChanges({ ...changes, ...changed });
    setState(null);
  };

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setError(null);
    setState("saving");
    try {
      await changeProject(project.id, body);
      setChanges({});
      setState("saved");
    } catch (refusal) {
      setError(refusal);
      setState(null);
    }
  }

  return (
    <Section title="Project" text="Sessions that exist keep their Target Branch.">
      <form onSubmit={save}>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Name">
            <TextInput
              value={shown.name}
              onChange={({ target }) => change({ name: target.value })}
              maxLength={100}
              autoComplete="off"
              dir="auto"
              required
            />
          </Field>
          <Field label="Target Branch">
            <BranchInput
              projectId={project.id}
              value={shown.targetBranch}
              onValue={(value) => change({ targetBranch: value })}
              required
            />
          </Field>
        </div>
        <SaveBar
          error={error}
          state={state}
          isChanged={Object.keys(body).length > 0 && name !== "" && targetBranch !== ""}
          onDiscard={() => setChanges({})}
        />
      </form>
    </Section>
  );
}
