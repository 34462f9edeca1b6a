// The settings of a project, each section with a save of its own, and its deletion.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { BranchInput } from "../pull-request/choices.tsx";
import { Button } from "../ui/button.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { useProject } from "./current.ts";
import { DeleteProject } from "./delete-project.tsx";
import { type Project, settingsQuery } from "./queries.ts";
import { saveNames } from "./section-calls.ts";
import { ServicesForm } from "./services-form.tsx";
import { SectionForm, SetupForm, SparesForm, VariablesForm } from "./settings-sections.tsx";
import { useSection } from "./use-section.ts";

export function Settings() {
  const project = useProject();
  const { data: settings, error, refetch } = useQuery(settingsQuery(project.id));
  return (
    <>
      <NamesForm project={project} />
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

type Names = Pick<Project, "name" | "targetBranch">;

const toNames = ({ name, targetBranch }: Names): Names => ({
  name: name.trim(),
  targetBranch: targetBranch.trim(),
});

function findNameMistake({ name, targetBranch }: Names): string | null {
  if (name.trim() === "") return "The project has no name.";
  return targetBranch.trim() === "" ? "The project has no Target Branch." : null;
}

function NamesForm({ project: { id, name, targetBranch } }: { project: Project }) {
  const edited = useSection({
    keptAs: `project-name:${id}`,
    saved: useMemo(() => ({ name, targetBranch }), [name, targetBranch]),
    ...{ toForm: toNames, toValue: toNames },
    write: (mine, known) => saveNames(id, { mine, known }),
  });
  const { form, change } = edited;
  return (
    <SectionForm
      title="Project"
      text="Existing sessions keep their Target Branch."
      edited={edited}
      mistake={findNameMistake(form)}
      describe={(saved) => [`Name: ${saved.name}`, `Target Branch: ${saved.targetBranch}`]}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name">
          <TextInput
            value={form.name}
            onChange={({ target }) => change({ ...form, name: target.value })}
            maxLength={100}
            autoComplete="off"
            dir="auto"
            required
          />
        </Field>
        <Field label="Target Branch">
          <BranchInput
            projectId={id}
            value={form.targetBranch}
            onValue={(value) => change({ ...form, targetBranch: value })}
            required
          />
        </Field>
      </div>
    </SectionForm>
  );
}
