// The text that `npm start` prints when the world is ready.

import type { World } from "../practice/local-service.ts";
import { providers } from "../src/model/providers.ts";
import { type ProviderId, providerIds } from "../src/model/rules/provider.ts";

const firstLook = `  curl -s -H "Authorization: Bearer $KEY" "$BASE/api/projects/$PROJECT"`;
const firstSession = `  curl -s -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
    "$BASE/api/projects/$PROJECT/chat-sessions" -d '{"content":"Say in three sentences what this repository is."}'`;

type WelcomeFacts = Pick<
  World,
  | "baseUrl"
  | "projectId"
  | "own"
  | "demoDeploy"
  | "realProviders"
  | "users"
  | "forgePagesUrl"
  | "signInUrl"
  | "isolationNotice"
>;

/** Returns the text. The README's quick start uses its exports. */
export function formatWelcome(world: WelcomeFacts, stateDir: string): string {
  const purpose = world.own ? "To work on it" : "For the README's quick start";
  return `
Switchyard is ready at ${world.baseUrl}
${world.own ? `\n${world.own.notes.join("\n")}\n` : ""}
Open its console:        ${world.signInUrl}
${formatDemo(world.demoDeploy)}The practice code host:  ${world.forgePagesUrl}

${purpose}, paste into another terminal:

  export BASE=${world.baseUrl}
  export PROJECT=${world.own?.projectId ?? world.projectId}
  export KEY=${world.users.owner.apiKey}

The command line, and a first call:

  curl -fsS ${world.baseUrl}/cli | sh
${world.own ? firstSession : firstLook}

The API key is the owner's; ${stateDir}/dev.json has those of the other people.
${formatModels(world.realProviders)}
${world.isolationNotice}
Ctrl-C ends everything.
`;
}

function formatDemo(deploy: World["demoDeploy"]): string {
  if (deploy === null) return "";
  return deploy.isLive ? `The demo app, live:      ${deploy.says}\n` : `${deploy.says}\n`;
}

function formatModels(real: ProviderId[]): string {
  if (real.length === 0)
    return "The models are practice models: docs/reference/practice-services.md says what they do.";
  const names = real.map((id) => providers[id].name).join(", ");
  const rest = real.length < providerIds.length ? " The others are practice models." : "";
  return `The models of ${names} are the real ones, paid with your key.${rest}`;
}
