// The credentials that Deploys use, on the wire.
import { expect, it } from "vitest";
import type { DeployChatView } from "../../../durable-objects/project/rpc.ts";
import { toWireDeployChat } from "../../../src/deploy/wire/chat.ts";

const view: DeployChatView = {
  ...{ deploy: null, status: "idle", activeTurnId: null, lastTurnId: null, sandboxKey: null, deployModel: null },
  instructions: [],
};

it.each([
  ["key", "api_key"],
  ["login", "sign_in"],
] as const)("a %s of the workspace has the method %s, as in the settings of the workspace", (kind, authMethod) => {
  const held = { provider: "openai", kind, needsReauth: false } as const;
  expect(toWireDeployChat("p", view, [held]).credentialOwners).toEqual({
    ...{ anthropic: null, zai: null, kimi: null },
    openai: { kind: "organization", needsReauth: false, authMethod },
  });
});
