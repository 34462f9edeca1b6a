// Copies variants of a Prototype onto a session of the Backlog, from which its agent works.
import type { Schemas } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { sessionsQuery } from "../session/queries.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Field, Select } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { useAct } from "../ui/use-act.ts";
import { toVisibleName } from "../ui/visible.ts";
import { copyPrototype } from "./prototype-calls.ts";

const sessionsMax = 100;

export function CopyPrototype({ prototype: { id, projectId, variants } }: { prototype: Schemas["Prototype"] }) {
  const filter = {
    project: [projectId],
    status: ["backlog" as const],
    sort: "updated" as const,
    pageSize: sessionsMax,
  };
  const { data: sessions = [], error, isSuccess } = useQuery(sessionsQuery(filter));
  const [chosen, setChosen] = useState("");
  const [variant, setVariant] = useState("");
  const [copiedTo, setCopiedTo] = useState<string | null>(null);
  const copying = useAct();
  const sessionId = sessions.find((one) => one.id === chosen)?.id ?? sessions[0]?.id;
  async function copy(): Promise<void> {
    if (sessionId === undefined) return;
    setCopiedTo(null);
    const isCopied = await copying.act(() =>
      copyPrototype({ projectId, sessionId, prototypeId: id, variant: variant || null }),
    );
    if (isCopied) setCopiedTo(sessionId);
  }
  return (
    <Section
      title="Copy onto a session"
      text="The variants become artifacts of a session that waits in the Backlog. Its agent gets them when it starts."
    >
      {error && <Refusal error={error} />}
      {isSuccess && sessions.length === 0 && (
        <div className="flex flex-wrap items-center gap-3">
          <p className="text-quiet">No session of this project is in the Backlog.</p>
          <Link to="/" hash="new" search={{ project: projectId }} className={buttonClass()}>
            New session
          </Link>
        </div>
      )}
      {sessions.length > 0 && (
        <div className="flex flex-wrap items-end gap-3">
          <Field label="Session">
            <Select className="w-64 max-w-full" value={sessionId} onChange={({ target }) => setChosen(target.value)}>
              {sessions.map(({ id, title }) => (
                <option key={id} value={id}>
                  {toVisibleName(title)}
                </option>
              ))}
            </Select>
          </Field>
          {variants.length > 1 && (
            <Field label="What">
              <Select className="w-48 max-w-full" value={variant} onChange={({ target }) => setVariant(target.value)}>
                <option value="">All variants</option>
                {variants.map(({ name }) => (
                  <option key={name} value={name}>
                    {toVisibleName(name)}
                  </option>
                ))}
              </Select>
            </Field>
          )}
          <Button kind="main" disabled={copying.isBusy} onClick={copy}>
            {copying.isBusy ? "Copying…" : "Copy"}
          </Button>
        </div>
      )}
      {copying.error !== null && (
        <div className="mt-4">
          <Refusal error={copying.error} />
        </div>
      )}
      <div role="status" className="mt-4 flex flex-wrap items-center gap-3 empty:hidden">
        {copiedTo !== null && (
          <>
            <span className="text-green-ink">
              <span aria-hidden="true">✓ </span>Copied.
            </span>
            <Link
              to="/s/$session"
              params={{ session: copiedTo }}
              search={{ panel: "artifacts" }}
              className={buttonClass()}
            >
              Look at it in the session
            </Link>
          </>
        )}
      </div>
    </Section>
  );
}
