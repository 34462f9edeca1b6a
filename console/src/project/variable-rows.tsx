// Environment variables as rows. A stored value is never shown: it stays, or is replaced.
import { Plus, Trash2 } from "lucide-react";
import { type ClipboardEvent, useEffect, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { fieldClass } from "../ui/field.tsx";
import { labelVariable, mask, readVariables, type Variable, withVariables } from "./settings-form.ts";

interface VariableRowsProps {
  rows: readonly Variable[];
  onChange: (rows: Variable[]) => void;
  /** What the variables are of, for labels. */
  of?: string;
}

const createKey = () => crypto.randomUUID();

export function VariableRows({ rows, onChange, of }: VariableRowsProps) {
  const change = (key: string, changed: Partial<Variable>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...changed } : row)));
  // The row whose first empty field takes the focus.
  const [focused, setFocused] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const entered = useRef<string | null>(null);

  // A save by Enter takes the field away: its row keeps the focus.
  useEffect(() => {
    const at = rows.findIndex(({ name, isKept }) => isKept && name === entered.current);
    if (at === -1) return;
    entered.current = null;
    if (document.activeElement === document.body) list.current?.children[at]?.querySelector("button")?.focus();
  }, [rows]);

  /** A text with several variables becomes rows of its own. */
  function paste(event: ClipboardEvent, key: string): void {
    const variables = readVariables(event.clipboardData.getData("text"));
    if (variables === null) return;
    event.preventDefault();
    const others = rows.filter((row) => row.key !== key || row.name.trim() !== "" || row.value !== "");
    onChange(withVariables(others, variables, createKey));
  }

  return (
    <>
      {rows.length > 0 && (
        <ul ref={list} className="space-y-2">
          {rows.map((row) => (
            <li
              key={row.key}
              className="flex flex-wrap items-center gap-2"
              onKeyDown={({ key }) => {
                entered.current = key === "Enter" ? row.name.trim() : null;
              }}
            >
              <input
                // biome-ignore lint/a11y/noAutofocus: the person has just asked for the row.
                autoFocus={row.key === focused && row.name === ""}
                aria-label={
                  row.name.trim() === ""
                    ? labelVariable("Name of", "", of)
                    : labelVariable("Name of the variable", row.name, of)
                }
                placeholder="NAME"
                value={row.name}
                readOnly={row.isKept}
                onChange={({ target }) => change(row.key, { name: target.value })}
                onPaste={(event) => paste(event, row.key)}
                autoCapitalize="none"
                autoComplete="off"
                spellCheck={false}
                className={`${fieldClass} w-auto! min-w-32! flex-1 font-mono read-only:border-transparent read-only:bg-sunk max-sm:basis-full`}
              />
              {row.isKept ? (
                <span className="flex min-w-32 flex-[2] items-center gap-2">
                  <span className="flex-1 px-3 text-quiet tracking-widest" title="The value is stored, and stays">
                    {mask}
                  </span>
                  <Button
                    kind="bare"
                    onClick={() => {
                      setFocused(row.key);
                      change(row.key, { isKept: false, value: "" });
                    }}
                  >
                    Replace<span className="sr-only"> {row.name}</span>
                  </Button>
                </span>
              ) : (
                <input
                  // biome-ignore lint/a11y/noAutofocus: the person has just asked for the row.
                  autoFocus={row.key === focused && row.name !== ""}
                  aria-label={labelVariable("Value of", row.name, of)}
                  placeholder="Value"
                  value={row.value}
                  onChange={({ target }) => change(row.key, { value: target.value })}
                  autoCapitalize="none"
                  autoComplete="off"
                  spellCheck={false}
                  className={`${fieldClass} w-auto! min-w-32! flex-[2] font-mono`}
                />
              )}
              <Button
                kind="bare"
                aria-label={labelVariable("Delete", row.name, of)}
                title="Delete"
                className="px-2!"
                onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
              >
                <Trash2 className="size-4" aria-hidden="true" />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Button
        className={rows.length > 0 ? "mt-3" : ""}
        onClick={() => {
          const key = createKey();
          setFocused(key);
          onChange([...rows, { key, name: "", value: "", isKept: false }]);
        }}
      >
        <Plus className="size-4" aria-hidden="true" /> Add a variable
      </Button>
    </>
  );
}
