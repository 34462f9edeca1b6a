// The section of the settings for services: what runs beside the agent, and where it listens.

import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Check } from "../ui/check.tsx";
import { Field, fieldClass, TextInput } from "../ui/field.tsx";
import { Name } from "../ui/visible-text.tsx";
import type { ProjectSettings } from "./queries.ts";
import { saveSection } from "./section-calls.ts";
import {
  describeServices,
  type EditedService,
  findServiceMistake,
  toEditedServices,
  toServices,
} from "./services-rules.ts";
import { SectionForm } from "./settings-sections.tsx";
import { useSection } from "./use-section.ts";
import { VariableRows } from "./variable-rows.tsx";

const createKey = () => crypto.randomUUID();

export function ServicesForm({ projectId, settings }: { projectId: string; settings: ProjectSettings }) {
  const edited = useSection({
    keptAs: `services:${projectId}`,
    isSecret: true,
    ...{ saved: settings.services, toForm: toEditedServices, toValue: toServices },
    write: (mine, known) => saveSection(projectId, "services", { mine, known }),
  });
  const { form: services, change } = edited;
  const [added, setAdded] = useState<string | null>(null);
  return (
    <SectionForm
      title="Services"
      text="What runs beside the agent. A public port is shown by previews. A change applies from the next start or reset."
      edited={edited}
      mistake={findServiceMistake(services)}
      describe={describeServices}
    >
      <ul className="space-y-4">
        {services.map((service) => (
          <li key={service.key} className="rounded-block border border-line p-4">
            <ServiceFields
              service={service}
              isAdded={service.key === added}
              onChange={(changed) => change(services.map((one) => (one.key === service.key ? changed : one)))}
              onDelete={() => change(services.filter(({ key }) => key !== service.key))}
            />
          </li>
        ))}
      </ul>
      <Button
        className={services.length > 0 ? "mt-3" : ""}
        onClick={() => {
          const key = createKey();
          setAdded(key);
          change([...services, { key, name: "", storedName: null, command: "", cwd: "", rows: [], endpoints: [] }]);
        }}
      >
        <Plus className="size-4" aria-hidden="true" /> Add a service
      </Button>
    </SectionForm>
  );
}

interface ServiceFieldsProps {
  service: EditedService;
  isAdded: boolean;
  onChange: (service: EditedService) => void;
  onDelete: () => void;
}

const codeInput = { autoCapitalize: "none", autoComplete: "off", spellCheck: false } as const;

function ServiceFields({ service, isAdded, onChange, onDelete }: ServiceFieldsProps) {
  const { name, command, cwd, rows, endpoints } = service;
  const change = (changed: Partial<EditedService>) => onChange({ ...service, ...changed });
  return (
    <fieldset className="space-y-3">
      <legend className="sr-only">{name === "" ? "A new service" : `Service ${name}`}</legend>
      <div className="flex items-center justify-between gap-2">
        <h3 className="min-w-0 font-bold">
          <Name className="block truncate">{name || "A new service"}</Name>
        </h3>
        <Button kind="bare" onClick={onDelete}>
          <Trash2 className="size-4" aria-hidden="true" /> Delete
          <span className="sr-only"> {name === "" ? "the new service" : `service ${name}`}</span>
        </Button>
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Name of the service">
          <TextInput
            autoFocus={isAdded}
            value={name}
            onChange={({ target }) => change({ name: target.value })}
            {...codeInput}
            required
          />
        </Field>
        <Field label="Folder">
          <TextInput
            value={cwd}
            placeholder="The project’s root"
            onChange={({ target }) => change({ cwd: target.value })}
            className="font-mono"
            {...codeInput}
          />
        </Field>
      </div>
      <Field label="Command">
        <textarea
          value={command}
          rows={1}
          onChange={({ target }) => change({ command: target.value })}
          required
          {...codeInput}
          className={`${fieldClass} field-sizing-content resize-none py-1.5 font-mono text-code!`}
        />
      </Field>
      <Endpoints
        service={name || "the new service"}
        endpoints={endpoints}
        onChange={(next) => change({ endpoints: next })}
      />
      <div>
        <h4 className="mb-2 font-medium">Its variables</h4>
        <VariableRows rows={rows} of={name || "the new service"} onChange={(next) => change({ rows: next })} />
      </div>
    </fieldset>
  );
}

interface EndpointsProps {
  service: string;
  endpoints: EditedService["endpoints"];
  onChange: (endpoints: EditedService["endpoints"]) => void;
}

function Endpoints({ service, endpoints, onChange }: EndpointsProps) {
  const change = (key: string, changed: Partial<EditedService["endpoints"][number]>) =>
    onChange(endpoints.map((one) => (one.key === key ? { ...one, ...changed } : one)));
  const [added, setAdded] = useState<string | null>(null);
  return (
    <div>
      <h4 className="mb-2 font-medium">Ports</h4>
      <ul className="space-y-2">
        {endpoints.map(({ key, port, name, isPublic, healthPath }) => (
          <li key={key} className="flex flex-wrap items-center gap-2">
            <input
              // biome-ignore lint/a11y/noAutofocus: the person has just added the row.
              autoFocus={key === added}
              aria-label={`Port of ${service}`}
              placeholder="Port"
              inputMode="numeric"
              value={port}
              onChange={({ target }) => change(key, { port: target.value })}
              className={`${fieldClass} w-20! font-mono`}
              {...codeInput}
            />
            <input
              aria-label={`Name of ${port === "" ? "the new port" : `port ${port}`}`}
              placeholder="Name"
              value={name}
              onChange={({ target }) => change(key, { name: target.value })}
              className={`${fieldClass} w-auto! min-w-24! flex-1`}
              {...codeInput}
            />
            <input
              aria-label={`Health path of ${port === "" ? "the new port" : `port ${port}`}`}
              placeholder="Health path"
              value={healthPath}
              onChange={({ target }) => change(key, { healthPath: target.value })}
              className={`${fieldClass} w-auto! min-w-24! flex-1 font-mono`}
              {...codeInput}
            />
            <Check checked={isPublic} onChange={(isOn) => change(key, { isPublic: isOn })}>
              Public
            </Check>
            <Button
              kind="bare"
              aria-label={`Delete ${port === "" ? "the new port" : `port ${port}`}`}
              title="Delete"
              className="px-2!"
              onClick={() => onChange(endpoints.filter((one) => one.key !== key))}
            >
              <Trash2 className="size-4" aria-hidden="true" />
            </Button>
          </li>
        ))}
      </ul>
      <Button
        className={endpoints.length > 0 ? "mt-2" : ""}
        onClick={() => {
          const key = createKey();
          setAdded(key);
          onChange([...endpoints, { key, port: "", name: "", isPublic: endpoints.length === 0, healthPath: "" }]);
        }}
      >
        <Plus className="size-4" aria-hidden="true" /> Add a port
      </Button>
    </div>
  );
}
