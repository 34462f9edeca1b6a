// The editor of a skill's files: one is shown at a time. What is typed is kept until it is saved or
// discarded, also over a reload. While it is saved it cannot be changed, because it closes then.
import { FilePlus, Upload } from "lucide-react";
import { type ChangeEvent, type FormEvent, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { fieldClass } from "../ui/field.tsx";
import { useKeptText } from "../ui/kept-text.ts";
import { Refusal } from "../ui/refusal.tsx";
import { describeSkillRefusal } from "../workspace/skill-rules.ts";
import { addFiles, findProblem, isSame, mainFile, parseKept, type SkillFile, sortFiles } from "./skill-files.ts";

/** What an agent reads for the folder of a skill. */
const folder = `$${"{CLAUDE_SKILL_DIR}"}`;

interface SkillEditorProps {
  /** The name under which the browser keeps what is typed. */
  keptAs: string;
  files: readonly SkillFile[];
  word: string;
  onSave: (files: SkillFile[]) => Promise<void>;
  onClose: () => void;
}

export function SkillEditor({ keptAs, files: saved, word, onSave, onClose }: SkillEditorProps) {
  const [kept, keep] = useKeptText(keptAs);
  const files = parseKept(kept) ?? sortFiles(saved);
  const [sent, setSent] = useState(files);
  const [shown, setShown] = useState(0);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const upload = useRef<HTMLInputElement>(null);
  const at = Math.min(shown, files.length - 1);
  const file = files[at];
  const problem = findProblem(files);
  const isChanged = !isSame(files, saved);

  const change = (next: readonly SkillFile[]) => keep(JSON.stringify(next));
  const changeFile = (changed: Partial<SkillFile>) =>
    change(files.map((one, index) => (index === at ? { ...one, ...changed } : one)));

  function add(added: readonly SkillFile[]): void {
    // What was typed while files were read from the disk stays.
    keep((now) => {
      const next = addFiles(parseKept(now) ?? sortFiles(saved), added);
      setShown(next.length - 1);
      return JSON.stringify(next);
    });
  }

  async function addFromDisk({ target }: ChangeEvent<HTMLInputElement>): Promise<void> {
    const chosen = [...(target.files ?? [])];
    target.value = "";
    add(await Promise.all(chosen.map(async (one) => ({ path: one.name, content: await one.text() }))));
  }

  function discard(): void {
    setIsAsking(false);
    keep("");
    onClose();
  }

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setSent(files);
    setRefusal(null);
    setIsBusy(true);
    try {
      await onSave(files);
      keep("");
    } catch (refused) {
      setRefusal(refused);
      setIsBusy(false);
    }
  }

  return (
    <form onSubmit={save} className="rounded-block border border-line bg-ground p-3">
      <ul aria-label="Files of the skill" className="mb-2 flex flex-wrap gap-1">
        {files.map(({ path }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the path changes while it is typed.
          <li key={index} className="min-w-0">
            <button
              type="button"
              aria-pressed={index === at}
              onClick={() => setShown(index)}
              className={`min-h-8 max-w-full truncate rounded-control px-2 font-mono text-code pointer-coarse:min-h-11 ${index === at ? "bg-accent-tint" : "hover:bg-sunk"}`}
            >
              {path || "no path"}
            </button>
          </li>
        ))}
      </ul>
      {file && at > 0 && (
        <div className="mb-2 flex flex-wrap gap-2">
          <input
            value={file.path}
            readOnly={isBusy}
            onChange={({ target }) => changeFile({ path: target.value })}
            aria-label="Path of the file"
            autoComplete="off"
            spellCheck={false}
            className={`${fieldClass} min-w-40 flex-1 font-mono`}
          />
          <Button
            kind="bare"
            disabled={isBusy}
            onClick={() => {
              change(files.filter((_, index) => index !== at));
              setShown(at - 1);
            }}
          >
            Remove the file
          </Button>
        </div>
      )}
      <textarea
        value={file?.content ?? ""}
        readOnly={isBusy}
        onChange={({ target }) => changeFile({ content: target.value })}
        aria-label={`Text of ${file?.path ?? mainFile}`}
        rows={16}
        dir="auto"
        spellCheck={at === 0}
        className={`${fieldClass} py-2 font-mono text-code!`}
      />
      <p className="mt-1 text-meta text-quiet">
        {mainFile} begins with a name in small letters and a description. Other files are beside it, and{" "}
        <code className="font-mono">{folder}</code> is their folder.
      </p>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button type="submit" kind="main" disabled={isBusy || problem !== null || !isChanged}>
          {isBusy ? "Saving…" : word}
        </Button>
        <Button kind="bare" disabled={isBusy} onClick={() => (isChanged ? setIsAsking(true) : discard())}>
          Cancel
        </Button>
        <span className="flex-1" />
        <Button disabled={isBusy} onClick={() => add([{ path: "notes.md", content: "" }])}>
          <FilePlus className="size-4" aria-hidden="true" /> Add a file
        </Button>
        <Button disabled={isBusy} onClick={() => upload.current?.click()}>
          <Upload className="size-4" aria-hidden="true" /> From disk
        </Button>
        <input ref={upload} type="file" multiple hidden aria-label="Files from disk" onChange={addFromDisk} />
      </div>
      <p role="status" className="mt-2 text-meta text-red-ink empty:hidden">
        {problem}
      </p>
      {refusal !== null && (
        <div className="mt-2">
          <Refusal error={refusal} reword={(sentence) => describeSkillRefusal(sentence, sent)} />
        </div>
      )}
      <Confirm
        isOpen={isAsking}
        title="Discard what you have typed?"
        word="Discard"
        kind="danger"
        onConfirm={discard}
        onClose={() => setIsAsking(false)}
      >
        Your changes are not saved.
      </Confirm>
    </form>
  );
}
