// The network of a project's sandboxes: what they may reach, what they asked for, and secrets.
import { SwitchyardError } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { useProject } from "./current.ts";
import { networkQuery, saveNetwork, workspaceNetworkQuery } from "./network-calls.ts";
import { NetworkFields } from "./network-fields.tsx";
import {
  describeHostMistakes,
  describeNetwork,
  modes,
  type Network,
  toEdited,
  toNetwork,
  withHost,
} from "./network-form.ts";
import { NetworkSecrets } from "./network-secrets.tsx";
import { NetworkSeen } from "./network-seen.tsx";
import { SaveBar } from "./save-bar.tsx";
import { useSection } from "./use-section.ts";

export function NetworkPart() {
  const { id } = useProject();
  const { data, error, refetch } = useQuery(networkQuery(id));
  return (
    <>
      {error && !data && (
        <div className="mt-6">
          <Refusal error={error}>
            <Button onClick={() => refetch()}>Try again</Button>
          </Refusal>
        </div>
      )}
      {data && <NetworkForm network={data.network} />}
      <NetworkSecrets projectId={id} />
    </>
  );
}

function NetworkForm({ network }: { network: Network }) {
  const { id, orgId } = useProject();
  const { data: now } = useQuery(networkQuery(id));
  const { data: ofWorkspace } = useQuery(workspaceNetworkQuery(orgId));
  const edited = useSection({
    keptAs: `network:${id}`,
    ...{ saved: network, toForm: toEdited, toValue: toNetwork },
    write: (mine, known) => saveNetwork(id, { mine, known }),
  });
  const { form, base, error } = edited;
  const mine = toNetwork(form);
  const change = (changed: Partial<typeof form>) => edited.change({ ...form, ...changed });
  const isRefused = error instanceof SwitchyardError && error.failure.code === "VALIDATION_ERROR";

  const ceiling = ofWorkspace?.ceiling ?? "open";
  const proposal = now?.proposal ?? null;
  return (
    <>
      <Section
        title="Network"
        text="What sandboxes of this project reach. A change applies to each from its next start."
      >
        {now && !now.isEnforced && (
          <p role="alert" className="mb-4 rounded-block bg-amber-tint px-4 py-3 text-amber-ink">
            Nothing here enforces this network, so no sandbox starts. Set it to open, or ask your operator.
          </p>
        )}
        {ceiling !== "open" && (
          <p className="mb-4 text-quiet">
            The workspace allows at most “{modes.find(([mode]) => mode === ceiling)?.[1]}”. In force now:{" "}
            <span className="font-medium text-ink">
              {modes.find(([mode]) => mode === now?.inForce.mode)?.[1] ?? "…"}
              {now && now.inForce.hosts.length > 0 && `, ${now.inForce.hosts.length} hosts`}
            </span>
            .
          </p>
        )}
        {proposal && (
          <div className="mb-4 rounded-block bg-accent-tint px-4 py-3">
            <p className="font-medium">The deploy agent proposes this network.</p>
            <p className="mt-1 text-meta text-quiet">
              Check each host before you save it: texts in the repository can influence the agent.
            </p>
            <pre className="mt-2 max-h-60 overflow-y-auto whitespace-pre-wrap font-mono text-code [overflow-wrap:anywhere]">
              {describeNetwork(proposal).join("\n")}
            </pre>
            <Button className="mt-3" onClick={() => change(toEdited(proposal))}>
              Copy it into the form
            </Button>
          </div>
        )}
        <form
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            edited.save();
          }}
        >
          <NetworkFields edited={form} onChange={change} />
          {isRefused && <HostMistakes lines={describeHostMistakes(error.failure.details, mine.hosts)} />}
          <SaveBar
            edited={{
              ...edited,
              error: isRefused ? null : error,
              isChanged: edited.isChanged || proposal !== null,
            }}
            describe={describeNetwork}
          />
        </form>
        {now && now.outdated.length > 0 && (
          <p className="mt-4 text-quiet">
            {now.outdated.length === 1 ? "One sandbox runs" : `${now.outdated.length} sandboxes run`} with an earlier
            network, until the next start.
          </p>
        )}
      </Section>
      <NetworkSeen
        seen={now?.seen ?? []}
        isOpen={base.mode === "open"}
        listed={mine.hosts}
        onAdd={(host) => change({ mode: "hosts", hosts: withHost(form.hosts, host) })}
      />
    </>
  );
}

function HostMistakes({ lines }: { lines: string[] }) {
  return (
    <div role="alert" className="mt-4 rounded-block bg-red-tint px-4 py-3 text-red-ink [overflow-wrap:anywhere]">
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}
