// The deletion of a project, which asks for its name.
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { deleteProject, type Project } from "./queries.ts";

export function DeleteProject({ project: { id, name } }: { project: Project }) {
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const isNamed = typed.trim() === name.trim();

  async function act(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!isNamed) return;
    setError(null);
    setIsBusy(true);
    try {
      await deleteProject(id);
      await navigate({ to: "/projects", replace: true });
    } catch (refusal) {
      setError(refusal);
      setIsBusy(false);
    }
  }

  return (
    <Section title="Delete the project" text="It cannot be restored. Its repository stays as it is.">
      <Button kind="danger" onClick={() => setIsAsking(true)}>
        Delete the project
      </Button>
      <Dialog title={`Delete “${name}”?`} isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <form onSubmit={act}>
          <p className="mt-1 mb-4 text-quiet">
            All its sessions with their conversations, its main sandbox and its settings are deleted for everybody.
            Running turns are stopped.
          </p>
          <Field label="Type the name of the project">
            <TextInput
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              placeholder={name}
              autoComplete="off"
              spellCheck={false}
              dir="auto"
            />
          </Field>
          {error !== null && (
            <div className="mt-4">
              <Refusal error={error} />
            </div>
          )}
          <div className="mt-4 flex flex-wrap justify-end gap-2">
            <Button kind="bare" onClick={() => setIsAsking(false)}>
              Cancel
            </Button>
            <Button type="submit" kind="danger" disabled={!isNamed || isBusy}>
              {isBusy ? "Deleting…" : "Delete"}
            </Button>
          </div>
        </form>
      </Dialog>
    </Section>
  );
}
