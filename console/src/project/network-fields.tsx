// The fields of a network: its mode, and for a list of hosts the presets and the hosts.
import { Check } from "../ui/check.tsx";
import { Field, fieldClass } from "../ui/field.tsx";
import { type EditedNetwork, modes, presets, readHosts } from "./network-form.ts";

interface NetworkFieldsProps {
  edited: EditedNetwork;
  onChange: (changed: Partial<EditedNetwork>) => void;
}

const hostsMax = 100;

export function NetworkFields({ edited, onChange }: NetworkFieldsProps) {
  const { mode, presets: chosen, hosts, strict } = edited;
  const count = readHosts(hosts).length;
  return (
    <>
      <fieldset className="grid gap-2">
        <legend className="sr-only">Mode</legend>
        {modes.map(([one, word, text]) => (
          <label
            key={one}
            className={`flex min-h-11 cursor-pointer items-baseline gap-3 rounded-block border px-3 py-2 has-focus-visible:outline-2 has-focus-visible:outline-accent ${mode === one ? "border-accent bg-accent-tint" : "border-line-strong/50 hover:bg-sunk"}`}
          >
            <input
              type="radio"
              name="network-mode"
              className="accent-accent"
              checked={mode === one}
              onChange={() => onChange({ mode: one })}
            />
            <span className="min-w-0">
              <span className="font-medium">{word}</span>
              <span className="block text-quiet">{text}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {mode === "hosts" && (
        <div className="mt-4 space-y-4">
          <fieldset>
            <legend className="mb-2 font-medium">Presets</legend>
            <div className="flex flex-wrap gap-2">
              {presets.map(([preset, word]) => (
                <label
                  key={preset}
                  className={`inline-flex min-h-8 cursor-pointer items-center gap-2 rounded-full border px-3 has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-11 ${chosen.includes(preset) ? "border-accent bg-accent-tint" : "border-line-strong/50 hover:bg-sunk"}`}
                >
                  <input
                    type="checkbox"
                    className="size-4 accent-accent"
                    checked={chosen.includes(preset)}
                    onChange={({ target }) =>
                      onChange({
                        presets: target.checked ? [...chosen, preset] : chosen.filter((other) => other !== preset),
                      })
                    }
                  />
                  {word}
                </label>
              ))}
            </div>
          </fieldset>
          <Field
            label="Hosts"
            hint={
              count > hostsMax
                ? `These are ${count} hosts. At most ${hostsMax} are allowed.`
                : "One per line. *.example.com means all names below it; example.com:443 only that port."
            }
          >
            <textarea
              value={hosts}
              onChange={({ target }) => onChange({ hosts: target.value })}
              rows={4}
              autoCapitalize="none"
              spellCheck={false}
              className={`${fieldClass} field-sizing-content max-h-96 min-h-24 resize-none py-2 font-mono text-code!`}
            />
          </Field>
          <Check checked={strict} onChange={(isOn) => onChange({ strict: isOn })}>
            Strict: names that are not listed do not resolve either
          </Check>
        </div>
      )}
    </>
  );
}
