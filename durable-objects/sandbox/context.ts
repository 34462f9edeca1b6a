// The context of a sandbox object: what its calls work with.
import type { Env } from "../../src/env.ts";
import type { SandboxEffect } from "../../src/rules/effect.ts";
import type { Sandbox } from "../../src/rules/sandbox/sandbox.ts";
import type { Shell } from "../object/shell.ts";
import type { SandboxAccess } from "./access.ts";
import type { SandboxStore } from "./store.ts";

export interface SandboxContext {
  env: Env;
  store: SandboxStore;
  access: SandboxAccess;
  shell: Shell<Sandbox, SandboxEffect>;
}
