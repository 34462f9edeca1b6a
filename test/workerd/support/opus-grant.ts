// What the tokens of turns on the model `opus` permit, for calls that the workspace pays for.
import { workspacePays } from "../../../src/provider-login/rules/payer.ts";
import type { SandboxToken } from "../../../src/sandbox/token.ts";

export const opusGrant = {
  model: { provider: "anthropic", model: "opus", speed: null },
  payer: workspacePays,
} satisfies Partial<SandboxToken>;
