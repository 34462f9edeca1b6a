// One section of the settings while it is edited. What is typed stays until it is saved; what
// somebody else saved meanwhile is shown, and is not overwritten unasked.
import { useState } from "react";
import { queryClient } from "../api.ts";
import { type ProjectSettings, putSettings, readSettings, settingsQuery } from "./queries.ts";
import { isSame, placeSection, type SectionName } from "./settings-form.ts";

export interface EditedSection<Name extends SectionName> {
  /** What the form began with. */
  base: ProjectSettings[Name];
  error: unknown;
  state: "saved" | "saving" | null;
  /** The section as somebody else saved it meanwhile; null where nobody did. */
  theirs: { value: ProjectSettings[Name] } | null;
  /** Saves. Resolves with the section as it is then; null where it was not saved. */
  save: (mine: ProjectSettings[Name], isOverwriting: boolean) => Promise<{ value: ProjectSettings[Name] } | null>;
  takeTheirs: () => ProjectSettings[Name];
  /** Called when something is typed. */
  touch: () => void;
}

export function useSection<Name extends SectionName>(
  projectId: string,
  name: Name,
  settings: ProjectSettings,
): EditedSection<Name> {
  const [base, setBase] = useState(settings[name]);
  const [error, setError] = useState<unknown>(null);
  const [state, setState] = useState<EditedSection<Name>["state"]>(null);
  const [theirs, setTheirs] = useState<EditedSection<Name>["theirs"]>(null);

  async function save(mine: ProjectSettings[Name], isOverwriting: boolean): ReturnType<EditedSection<Name>["save"]> {
    setError(null);
    setState("saving");
    try {
      // The service has no version of settings, so they are read again just before.
      const newest = await readSettings(projectId);
      queryClient.setQueryData(settingsQuery(projectId).queryKey, newest);
      const known = isOverwriting && theirs ? theirs.value : base;
      const body = placeSection(name, { base: known, newest, mine });
      if (body === null && !isSame(mine, newest[name])) {
        setTheirs({ value: newest[name] });
        setState(null);
        return null;
      }
      const saved = body === null ? newest : await putSettings(projectId, body);
      setBase(saved[name]);
      setTheirs(null);
      setState("saved");
      return { value: saved[name] };
    } catch (refusal) {
      setError(refusal);
      setState(null);
      return null;
    }
  }

  function takeTheirs(): ProjectSettings[Name] {
    const value = theirs ? theirs.value : base;
    setBase(value);
    setTheirs(null);
    return value;
  }

  return { base, error, state, theirs, save, takeTheirs, touch: () => setState(null) };
}
