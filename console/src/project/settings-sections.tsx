// The sections of the settings for setup commands, variables and spare sandboxes.
import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { fieldClass } from "../ui/field.tsx";
import { Section } from "../ui/section.tsx";
import type { ProjectSettings } from "./queries.ts";
import { SaveBar } from "./save-bar.tsx";
import {
  describeEnvironment,
  findMistake,
  isSame,
  type SectionName,
  toEnvironment,
  toRows,
  type Variable,
} from "./settings-form.ts";
import { useSection } from "./use-section.ts";
import { VariableRows } from "./variable-rows.tsx";

interface FormProps {
  projectId: string;
  settings: ProjectSettings;
}

interface SectionFormProps<Name extends SectionName> {
  title: string;
  text: ReactNode;
  edited: ReturnType<typeof useSection<Name>>;
  /** The section as the form has it. */
  mine: ProjectSettings[Name];
  mistake?: string | null;
  describe: (value: ProjectSettings[Name]) => string[];
  /** Puts a section into the form. */
  fill: (value: ProjectSettings[Name]) => void;
  children: ReactNode;
}

/** A section of the settings with its save. */
export function SectionForm<Name extends SectionName>(props: SectionFormProps<Name>) {
  const { title, text, edited, mine, mistake = null, describe, fill, children } = props;
  async function save(isOverwriting: boolean): Promise<void> {
    const saved = await edited.save(mine, isOverwriting);
    if (saved !== null) fill(saved.value);
  }
  return (
    <Section title={title} text={text}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          save(false);
        }}
      >
        {children}
        <SaveBar
          error={edited.error}
          state={edited.state}
          isChanged={!isSame(mine, edited.base)}
          mistake={mistake}
          theirs={edited.theirs && describe(edited.theirs.value)}
          onKeepMine={() => save(true)}
          onTakeTheirs={() => fill(edited.takeTheirs())}
          onDiscard={() => {
            fill(edited.takeTheirs());
            edited.touch();
          }}
        />
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

export function SetupForm({ projectId, settings }: FormProps) {
  const edited = useSection(projectId, "setup", settings);
  const [commands, setCommands] = useState(() => toCommands(settings.setup));
  const change = (next: Command[]) => {
    setCommands(next);
    edited.touch();
  };
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
      mine={commands.map(({ text }) => text).filter((text) => text.trim() !== "")}
      describe={(setup) => setup}
      fill={(setup) => setCommands(toCommands(setup))}
    >
      <ol className="space-y-2">
        {commands.map(({ key, text }, at) => (
          <li key={key} className="flex items-start gap-1">
            <textarea
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
        onClick={() => change([...commands, { key: crypto.randomUUID(), text: "" }])}
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
  const edited = useSection(projectId, "env", settings);
  const [rows, setRows] = useState<Variable[]>(() => toRows(settings.env));
  return (
    <SectionForm
      title="Variables"
      text="The variables of setup, services and the agent’s commands. Values are stored encrypted and never shown. Paste a .env file into a name to add all of it."
      edited={edited}
      mine={toEnvironment(rows)}
      mistake={findMistake(rows)}
      describe={describeEnvironment}
      fill={(env) => setRows(toRows(env))}
    >
      <VariableRows
        rows={rows}
        onChange={(next) => {
          setRows(next);
          edited.touch();
        }}
      />
    </SectionForm>
  );
}

export function SparesForm({ projectId, settings }: FormProps) {
  const edited = useSection(projectId, "warmPool", settings);
  const [isKept, setIsKept] = useState(settings.warmPool !== false);
  return (
    <SectionForm
      title="Spare sandboxes"
      text="A spare is a sandbox that was started in advance. The next session starts in it, within seconds."
      edited={edited}
      mine={isKept === (edited.base !== false) ? edited.base : isKept}
      describe={(value) => [value === false ? "No spares are kept." : "Spares are kept."]}
      fill={(value) => setIsKept(value !== false)}
    >
      <label className="flex min-h-9 items-center gap-2 pointer-coarse:min-h-11">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={isKept}
          onChange={({ target }) => {
            setIsKept(target.checked);
            edited.touch();
          }}
        />
        Keep spare sandboxes for new sessions
      </label>
    </SectionForm>
  );
}
