// The plugins that the marketplaces offer, and which of them the person has on.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { useTitle } from "../shell/title.ts";
import { Button } from "../ui/button.tsx";
import { TextInput } from "../ui/field.tsx";
import { Refusal } from "../ui/refusal.tsx";
import { Section } from "../ui/section.tsx";
import { Switch } from "../ui/switch.tsx";
import { Ago } from "../ui/time.tsx";
import { Name, Prose, VisibleText } from "../ui/visible-text.tsx";
import { findPlugins, listParts, marketWords, type Plugin } from "./plugin-words.ts";
import { pluginsQuery } from "./queries.ts";

export function Plugins() {
  useTitle("Plugins");
  const { data: plugins, error, refetch } = useQuery(pluginsQuery);
  const [search, setSearch] = useState("");
  // A plugin that is switched stays where it is until the page is left.
  const [order, setOrder] = useState<readonly string[] | null>(null);
  if (order === null && plugins) setOrder(findPlugins(plugins, "").map(({ id }) => id));
  const place = new Map(order?.map((id, at) => [id, at]));
  const found = findPlugins(plugins ?? [], search).toSorted(
    (one, other) => (place.get(one.id) ?? place.size) - (place.get(other.id) ?? place.size),
  );
  return (
    <Section
      title="Plugins"
      text="Bundles of skills, commands, agents, hooks and language servers from the marketplaces that the operator of the service has chosen. Those that are on work in all sessions that are assigned to you, from the next turn on."
    >
      {error !== null && (
        <Refusal error={error}>
          <Button onClick={() => refetch()}>Try again</Button>
        </Refusal>
      )}
      {plugins?.length === 0 && <p>No marketplace offers a plugin. The operator of the service chooses them.</p>}
      {plugins && plugins.length > 0 && (
        <>
          <TextInput
            type="search"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
            aria-label="Search plugins"
            placeholder="Search plugins"
            dir="auto"
          />
          {found.length === 0 && <p className="mt-4 text-quiet">No plugin has these words.</p>}
          {(["anthropic", "openai"] as const).map((provider) => {
            const ofProvider = found.filter((plugin) => plugin.provider === provider);
            return (
              ofProvider.length > 0 && (
                <section key={provider} aria-label={marketWords[provider]} className="mt-6">
                  <h3 className="font-bold text-meta text-quiet">{marketWords[provider]}</h3>
                  <ul className="divide-y divide-line">
                    {ofProvider.map((plugin) => (
                      <PluginRow key={plugin.id} plugin={plugin} />
                    ))}
                  </ul>
                </section>
              )
            );
          })}
        </>
      )}
    </Section>
  );
}

function PluginRow({ plugin }: { plugin: Plugin }) {
  const { id, name, marketplace, description, category, author, version, enabled } = plugin;
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  const parts = listParts(plugin);
  const facts = [marketplace, category, author, version === null ? null : `version ${version}`].filter(
    (fact) => fact !== null,
  );

  async function turn(isOn: boolean): Promise<void> {
    setRefusal(null);
    setIsBusy(true);
    await service
      .request("PATCH /api/user/plugins/{pluginId}", { path: { pluginId: id }, body: { enabled: isOn } })
      .catch(setRefusal);
    await queryClient.invalidateQueries({ queryKey: pluginsQuery.queryKey });
    setIsBusy(false);
  }

  return (
    <li className="py-3">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="font-medium [overflow-wrap:anywhere]">
            <Name>{name}</Name>
          </p>
          {description !== null && (
            <p className="[overflow-wrap:anywhere]" dir="auto">
              <VisibleText>{description}</VisibleText>
            </p>
          )}
          <p className="flex flex-wrap gap-x-2 text-meta text-quiet">
            {facts.map((fact) => (
              <Name key={fact} className="[overflow-wrap:anywhere]">
                {fact}
              </Name>
            ))}
          </p>
          {parts.length > 0 && (
            <details className="text-meta text-quiet">
              <summary className="cursor-pointer py-1">{parts.map(({ words }) => words).join(", ")}</summary>
              <dl className="space-y-1 pb-1">
                {parts.map(({ words, names }) => (
                  <div key={words}>
                    <dt className="inline">{words}: </dt>
                    <dd className="inline font-mono text-ink [overflow-wrap:anywhere]">{names.join(", ")}</dd>
                  </div>
                ))}
              </dl>
            </details>
          )}
          <Failure plugin={plugin} />
        </div>
        <Switch label={`${name} is on`} isOn={enabled} disabled={isBusy} onChange={turn} />
      </div>
      {refusal !== null && (
        <div className="mt-2">
          <Refusal error={refusal} />
        </div>
      )}
    </li>
  );
}

/** Why the last sandbox that should have got the plugin did not. */
function Failure({ plugin: { lastInstallFailure: failure } }: { plugin: Plugin }) {
  if (failure === null) return null;
  return (
    <p className="mt-1 rounded-control bg-amber-tint px-3 py-2 text-amber-ink text-meta [overflow-wrap:anywhere]">
      <Prose className="block">{failure.message}</Prose>
      It failed <Ago at={failure.failedAt} />{" "}
      <Link to="/s/$session" params={{ session: failure.sessionId }} className="underline underline-offset-2">
        in this session
      </Link>
    </p>
  );
}
