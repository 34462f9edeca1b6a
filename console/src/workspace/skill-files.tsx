// The files of a skill: one is shown, and written where the person may.
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button, buttonClass } from "../ui/button.tsx";
import { fieldClass, TextInput } from "../ui/field.tsx";
import { changeFile, filesMax, mainFile, nameNewFile, removeFile, type SkillFile } from "./skill-rules.ts";

interface SkillFilesProps {
  files: readonly SkillFile[];
  /** True while they are saved. They cannot be changed then, because a save leaves the page. */
  isSaving?: boolean;
  /** Null for files that are only read. */
  onChange: ((files: SkillFile[]) => void) | null;
}

export function SkillFiles({ files, isSaving = false, onChange }: SkillFilesProps) {
  const [chosen, setChosen] = useState(() => files.findIndex(({ path }) => path === mainFile));
  const at = Math.min(Math.max(chosen, 0), files.length - 1);
  const file = files[at];
  if (!file) return null;
  const change = (fields: Partial<SkillFile>) => onChange?.(changeFile(files, at, fields));
  return (
    <>
      <ul className="flex flex-wrap gap-1" aria-label="Files of the skill">
        {files.map(({ path }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a path changes while it is typed.
          <li key={index} className="min-w-0">
            <button
              type="button"
              aria-pressed={index === at}
              onClick={() => setChosen(index)}
              className={`${buttonClass(index === at ? "quiet" : "bare")} max-w-full font-mono text-code!`}
            >
              <span className="truncate">{path === "" ? "(no path)" : path}</span>
            </button>
          </li>
        ))}
        {onChange && files.length < filesMax && (
          <li>
            <Button
              kind="bare"
              disabled={isSaving}
              onClick={() => {
                onChange([...files, { path: nameNewFile(files), content: "" }]);
                setChosen(files.length);
              }}
            >
              <Plus className="size-4" aria-hidden="true" /> Add a file
            </Button>
          </li>
        )}
      </ul>
      {onChange && file.path !== mainFile && (
        <div className="mt-3 flex flex-wrap gap-2">
          <TextInput
            value={file.path}
            readOnly={isSaving}
            onChange={({ target }) => change({ path: target.value })}
            aria-label="Path of the file"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            className="w-auto! min-w-48 flex-1 font-mono"
          />
          <Button kind="danger" disabled={isSaving} onClick={() => onChange(removeFile(files, at))}>
            Delete the file
          </Button>
        </div>
      )}
      <textarea
        value={file.content}
        onChange={({ target }) => change({ content: target.value })}
        readOnly={isSaving || onChange === null}
        aria-label={`Text of ${file.path}`}
        rows={16}
        dir="auto"
        spellCheck={false}
        className={`${fieldClass} mt-3 block max-h-[70dvh] min-h-64 resize-y py-2 font-mono text-code`}
      />
    </>
  );
}
