// The context of a sandbox object: what its calls work with.
import type { Env } from "../../src/env.ts";
import type { SandboxEffect } from "../../src/rules/effect.ts";
import type { Sandbox } from "../../src/sandbox/rules/lifecycle.ts";
import type { Shell } from "../object/shell.ts";
import type { SandboxStore } from "./context-store.ts";
import type { SandboxAccess } from "./program-calls.ts";

export interface SandboxContext {
  env: Env;
  store: SandboxStore;
  access: SandboxAccess;
  shell: Shell<Sandbox, SandboxEffect>;
}
