// The text that `npm start` prints when the world is ready.
import type { World } from "./world.ts";

type WelcomeFacts = Pick<World, "baseUrl" | "projectId" | "users" | "forgePagesUrl" | "isolationNotice">;

/** Returns the text. The README's quick start uses its exports. */
export function welcome(world: WelcomeFacts, stateDir: string): string {
  return `
Switchyard is ready at ${world.baseUrl}

For the README's quick start, paste into another terminal:

  export BASE=${world.baseUrl}
  export PROJECT=${world.projectId}
  export KEY=${world.users.owner.apiKey}

A first call:

  curl -s -H "Authorization: Bearer $KEY" "$BASE/api/projects/$PROJECT"

The API key is the owner's; ${stateDir}/dev.json has those of all four people.
Sign in with a browser:   ${world.baseUrl}/account
The practice forge:       ${world.forgePagesUrl}
The models are practice models: see "The practice model" in the README. Ctrl-C ends everything.
${world.isolationNotice}
`;
}
