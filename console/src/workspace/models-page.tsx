// The model providers of a workspace: what it pays with, and what the person can run.
import { useQuery } from "@tanstack/react-query";
import { type Family, groupModels, type Provider, providerNames } from "../composer/models.ts";
import { modelsQuery } from "../composer/queries.ts";
import { useTitle } from "../shell/title.ts";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { describeAccess } from "./access-words.ts";
import { ForAdmins } from "./for-admins.tsx";
import { GeneratedTitles } from "./generated-titles.tsx";
import { ProviderRow } from "./provider-row.tsx";
import { accessQuery, credentialsQuery } from "./queries.ts";
import { useWorkspace } from "./use-workspace.ts";

const providers = Object.keys(providerNames) as Provider[];

export function ModelsPage() {
  const { workspace, may } = useWorkspace();
  useTitle(`Models · ${workspace.name}`);
  return (
    <>
      <Section
        title="Credentials"
        text="The workspace pays with these for members without a subscription of their own, for crons and for chat tools."
      >
        <ForAdmins>
          <Credentials workspaceId={workspace.id} />
        </ForAdmins>
      </Section>
      <Section
        title="Titles"
        text="Each session that starts without a title costs one call to the cheapest model that the workspace pays for. Its first line stays until then."
      >
        <GeneratedTitles workspace={workspace} isReadOnly={!may("admin")} />
      </Section>
      <Section title="What you can run" text="Your own subscription comes first, then the workspace's credential.">
        <Access workspaceId={workspace.id} />
      </Section>
    </>
  );
}

function Credentials({ workspaceId }: { workspaceId: string }) {
  const { data: credentials, error } = useQuery(credentialsQuery(workspaceId));
  return (
    <>
      {error && <Refusal error={error} />}
      <ul className="divide-y divide-line">
        {credentials &&
          providers.map((provider) => (
            <ProviderRow
              key={provider}
              workspaceId={workspaceId}
              provider={provider}
              credential={credentials[provider]}
            />
          ))}
      </ul>
    </>
  );
}

/** The models of a provider by name, without the retired ones. */
const listFamilies = (families: readonly Family[] = []): string =>
  families.flatMap(({ name, isLegacy }) => (isLegacy ? [] : [name])).join(", ");

function Access({ workspaceId }: { workspaceId: string }) {
  const { data: access, error } = useQuery(accessQuery(workspaceId));
  const { data: models = [] } = useQuery(modelsQuery);
  const families = new Map(groupModels(models));
  return (
    <>
      {error && <Refusal error={error} />}
      <ul className="divide-y divide-line">
        {access &&
          providers.map((provider) => {
            const { isGood, words } = describeAccess(access[provider]);
            return (
              <li key={provider} className="flex flex-wrap items-baseline gap-x-3 py-2">
                <span aria-hidden="true" className={`w-3 text-center ${isGood ? "text-green-ink" : "text-quiet"}`}>
                  {isGood ? "✓" : "✕"}
                </span>
                <span className="w-24 font-medium">{providerNames[provider]}</span>
                <span className="text-quiet">{words}</span>
                <span className="w-full pl-6 text-meta text-quiet">{listFamilies(families.get(provider))}</span>
              </li>
            );
          })}
      </ul>
    </>
  );
}
