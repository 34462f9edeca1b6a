// The field of a message: it grows with its text, takes files by paste, and offers skills at a `/`.
import { useQuery } from "@tanstack/react-query";
import { type ClipboardEvent, type KeyboardEvent, type RefObject, useId, useState } from "react";
import type { SessionPath } from "./deliver.ts";
import { skillsQuery } from "./queries.ts";
import { optionId, SkillList } from "./skill-list.tsx";
import { fillSuggestion, listSuggestions, readPrefix, type Suggestion, signOf } from "./slash.ts";

interface MessageFieldProps {
  field: RefObject<HTMLTextAreaElement | null>;
  path: SessionPath | null;
  model: string | null;
  text: string;
  placeholder: string;
  onText: (text: string) => void;
  onFiles: (files: File[]) => void;
  onKey: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
}

export function MessageField({ field, path, model, text, placeholder, onText, onFiles, onKey }: MessageFieldProps) {
  const listId = useId();
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  const [closedAt, setClosedAt] = useState<string | null>(null);
  const prefix = readPrefix(text, caret);
  const sign = signOf(model);
  const { data: skills = [] } = useQuery({
    ...skillsQuery(path ?? { projectId: "", sessionId: "" }, sign === "$"),
    enabled: path !== null && prefix !== null,
  });
  const suggestions = prefix === null || prefix === closedAt ? [] : listSuggestions(prefix, skills, sign);
  const isOpen = suggestions.length > 0;
  const active = Math.min(at, suggestions.length - 1);

  function choose({ name }: Suggestion): void {
    onText(fillSuggestion(text, name));
    setCaret(0);
    field.current?.focus();
  }

  /** Returns false for a key that the list has no use for. */
  function pressInList(event: KeyboardEvent, chosen: Suggestion): boolean {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : suggestions.length - 1;
      setAt((active + step) % suggestions.length);
    } else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey && chosen.name !== prefix))
      choose(chosen);
    else if (event.key === "Escape") setClosedAt(prefix);
    else return false;
    event.preventDefault();
    return true;
  }

  function press(event: KeyboardEvent<HTMLTextAreaElement>): void {
    const chosen = suggestions[active];
    if (chosen && !event.nativeEvent.isComposing && pressInList(event, chosen)) return;
    onKey(event);
  }

  function paste(event: ClipboardEvent): void {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    onFiles(files);
  }

  return (
    <div className="relative">
      {isOpen && <SkillList id={listId} suggestions={suggestions} at={active} onChoose={choose} />}
      <textarea
        ref={field}
        data-message-field
        value={text}
        dir="auto"
        rows={1}
        aria-label="Message to the agent"
        aria-autocomplete="list"
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={isOpen ? optionId(listId, active) : undefined}
        placeholder={placeholder}
        className="field-sizing-content block max-h-[40vh] min-h-11 w-full resize-none bg-transparent px-4 pt-3 pb-1 text-prose text-ink outline-none placeholder:text-quiet pointer-coarse:text-[16px]"
        onChange={({ target }) => {
          onText(target.value);
          setCaret(target.selectionStart);
          setAt(0);
          setClosedAt(null);
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
        onBlur={() => setCaret(0)}
        onKeyDown={press}
        onPaste={paste}
      />
    </div>
  );
}
