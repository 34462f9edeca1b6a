// The skills that a session can run: the built-in ones, its Assignee's, its workspace's, and those
// in the checkout of the project.
import * as z from "zod";
import { getSandboxObject } from "../../../durable-objects/address.ts";
import { findOwner } from "../../access/rules/actor.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ok } from "../../http/response.ts";
import { providerIds } from "../../model/rules/provider.ts";
import { type EnabledPlugin, listSessionPlugins, listSkillsAndPlugins } from "../../plugin/queries/plugins.ts";
import { getPluginProvider } from "../../plugin/rules/plugin.ts";
import { findPreviewTarget } from "../../preview/queries/targets.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { type EnabledSkill, listSessionSkills } from "../queries.ts";
import { builtInSkills } from "../rules/built-in-skills.ts";
import { getSavedSkillSource, listSkillsByPrecedence } from "../rules/precedence.ts";
import type { SkillListing, SkillSource } from "../rules/skill.ts";
import { skillSchema } from "../wire.ts";

const listed =
  (source: SkillSource) =>
  ({ name, description, argumentHint }: SkillListing) => ({ name, description, argumentHint, source });

const keptListed = (skill: EnabledSkill) => listed(getSavedSkillSource(skill.ownerType))(skill);

const pluginListed = ({ name, callables }: EnabledPlugin) =>
  (callables ?? []).map((callable) => listed("plugin")({ ...callable, name: `${name}:${callable.name}` }));

const listSkills = endpoint({
  method: "GET",
  path: "/api/projects/{projectId}/skills",
  operation: "listSkills",
  summary:
    "List the skills that a session can run. Its Assignee's are among them; without a session, yours. Those of the checkout are known while its sandbox runs; wakes nothing.",
  tag: "Skills",
  access: "project-skill.read",
  noun: "project",
  query: z.strictObject({
    provider: z.enum(providerIds).optional().describe("Whose models and plugins it has; anthropic by default."),
    sessionId: z.string().toLowerCase().optional().describe("Adds the session's own skills."),
  }),
  response: { status: 200, data: z.array(skillSchema) },
  refusals: ["SERVICE_UNAVAILABLE"],
  async handle({
    env,
    found: { workspace, project },
    caller: { actor },
    query: { sessionId, provider = "anthropic" },
  }) {
    const factory = builtInSkills.map(listed("factory"));
    const ofPlugins = getPluginProvider(provider);
    if (sessionId === undefined) {
      const [kept, plugins] = await listSkillsAndPlugins(env.DB, workspace.id, findOwner(actor)?.id ?? null, ofPlugins);
      return ok(listSkillsByPrecedence([...factory, ...kept.map(keptListed), ...plugins.flatMap(pluginListed)]));
    }
    const [target, kept, plugins] = await Promise.all([
      findPreviewTarget(env.DB, project.id, sessionId),
      listSessionSkills(env.DB, workspace.id, sessionId),
      listSessionPlugins(env.DB, workspace.id, sessionId, ofPlugins),
    ]);
    if (!target?.session) return refuse("NOT_FOUND", "There is no such session in this project.");
    const read = await getSandboxObject(env, target.session.sandboxKey).readCheckout({ type: "skills" });
    if (isRefusal(read)) return read;
    const ofProject = (read.skills?.skills ?? []).map(listed("project"));
    return ok(
      listSkillsByPrecedence([...factory, ...kept.map(keptListed), ...ofProject, ...plugins.flatMap(pluginListed)]),
    );
  },
});

export const skillRoutes = [listSkills];
