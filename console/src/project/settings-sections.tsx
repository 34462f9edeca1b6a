// The sections of the settings for setup commands, variables and spare sandboxes.
import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Check } from "../ui/check.tsx";
import { fieldClass } from "../ui/field.tsx";
import { Section } from "../ui/section.tsx";
import type { ProjectSettings } from "./queries.ts";
import { SaveBar } from "./save-bar.tsx";
import { saveSection } from "./section-calls.ts";
import { describeEnvironment, findMistake, toEnvironment, toRows } from "./settings-form.ts";
import { type EditedSection, useSection } from "./use-section.ts";
import { VariableRows } from "./variable-rows.tsx";

interface FormProps {
  projectId: string;
  settings: ProjectSettings;
}

interface SectionFormProps<Saved> {
  title: string;
  text: ReactNode;
  edited: Omit<EditedSection<Saved>, "change">;
  mistake?: string | null;
  describe: (saved: Saved) => string[];
  children: ReactNode;
}

/** A section with its save. */
export function SectionForm<Saved>({ title, text, edited, children, ...rest }: SectionFormProps<Saved>) {
  return (
    <Section title={title} text={text}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          edited.save();
        }}
      >
        {children}
        <SaveBar edited={edited} {...rest} />
      </form>
    </Section>
  );
}

/** A command, with a key that names its row. */
interface Command {
  key: string;
  text: string;
}

const toCommands = (setup: readonly string[]): Command[] => setup.map((text) => ({ key: crypto.randomUUID(), text }));

const toSetup = (commands: readonly Command[]): string[] =>
  commands.map(({ text }) => text).filter((text) => text.trim() !== "");

export function SetupForm({ projectId, settings }: FormProps) {
  const edited = useSection({
    keptAs: `setup:${projectId}`,
    ...{ saved: settings.setup, toForm: toCommands, toValue: toSetup },
    write: (mine, known) => saveSection(projectId, "setup", { mine, known }),
  });
  const { form: commands, change } = edited;
  const [added, setAdded] = useState<string | null>(null);
  const move = (at: number, to: number) => {
    const next = [...commands];
    next.splice(to, 0, ...next.splice(at, 1));
    change(next);
  };
  return (
    <SectionForm
      title="Setup"
      text="The shell commands that prepare a fresh checkout, in their order. They apply from the next start of a sandbox."
      edited={edited}
      describe={(setup) => setup}
    >
      <ol className="space-y-2">
        {commands.map(({ key, text }, at) => (
          <li key={key} className="flex items-start gap-1">
            <textarea
              // biome-ignore lint/a11y/noAutofocus: the person has just added the row.
              autoFocus={key === added}
              aria-label={`Command ${at + 1}`}
              value={text}
              rows={1}
              onChange={({ target }) =>
                change(commands.map((one) => (one.key === key ? { key, text: target.value } : one)))
              }
              autoCapitalize="none"
              spellCheck={false}
              className={`${fieldClass} field-sizing-content resize-none py-1.5 font-mono text-code!`}
            />
            <IconButton label={`Move command ${at + 1} up`} isOff={at === 0} onClick={() => move(at, at - 1)}>
              <ArrowUp className="size-4" aria-hidden="true" />
            </IconButton>
            <IconButton
              label={`Move command ${at + 1} down`}
              isOff={at === commands.length - 1}
              onClick={() => move(at, at + 1)}
            >
              <ArrowDown className="size-4" aria-hidden="true" />
            </IconButton>
            <IconButton
              label={`Delete command ${at + 1}`}
              onClick={() => change(commands.filter((one) => one.key !== key))}
            >
              <Trash2 className="size-4" aria-hidden="true" />
            </IconButton>
          </li>
        ))}
      </ol>
      <Button
        className={commands.length > 0 ? "mt-3" : ""}
        onClick={() => {
          const key = crypto.randomUUID();
          setAdded(key);
          change([...commands, { key, text: "" }]);
        }}
      >
        <Plus className="size-4" aria-hidden="true" /> Add a command
      </Button>
    </SectionForm>
  );
}

interface IconButtonProps {
  label: string;
  isOff?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function IconButton({ label, isOff = false, onClick, children }: IconButtonProps) {
  return (
    <Button kind="bare" aria-label={label} title={label} disabled={isOff} className="px-2!" onClick={onClick}>
      {children}
    </Button>
  );
}

export function VariablesForm({ projectId, settings }: FormProps) {
  const edited = useSection({
    keptAs: `variables:${projectId}`,
    isSecret: true,
    ...{ saved: settings.env, toForm: toRows, toValue: toEnvironment },
    write: (mine, known) => saveSection(projectId, "env", { mine, known }),
  });
  return (
    <SectionForm
      title="Variables"
      text="The variables of setup, services and the agent’s commands. Values are stored encrypted and never shown. Paste a .env file into a name to add all of it."
      edited={edited}
      mistake={findMistake(edited.form)}
      describe={describeEnvironment}
    >
      <VariableRows rows={edited.form} onChange={edited.change} />
    </SectionForm>
  );
}

type Spares = ProjectSettings["warmPool"];
const areKept = (spares: Spares): boolean => spares !== false;
/** A setting that was never made stays so where it says the same. */
const toSpares = (isKept: boolean, base: Spares): Spares => (isKept === areKept(base) ? base : isKept);

export function SparesForm({ projectId, settings }: FormProps) {
  const edited = useSection({
    keptAs: `spares:${projectId}`,
    ...{ saved: settings.warmPool, toForm: areKept, toValue: toSpares },
    write: (mine, known) => saveSection(projectId, "warmPool", { mine, known }),
  });
  return (
    <SectionForm
      title="Spare sandboxes"
      text="A spare is a sandbox that was started in advance. The next session starts in it, within seconds."
      edited={edited}
      describe={(spares) => [areKept(spares) ? "Spares are kept." : "No spares are kept."]}
    >
      <Check checked={edited.form} onChange={(isOn) => edited.change(isOn)}>
        Keep spare sandboxes for new sessions
      </Check>
    </SectionForm>
  );
}
