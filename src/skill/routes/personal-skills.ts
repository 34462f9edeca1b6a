// The user's personal skills, which are available in every session that they are the Assignee of.
import * as z from "zod";
import { findOwner } from "../../access/rules/actor.ts";
import { endpoint } from "../../http/endpoint.ts";
import { created, noContent, ok } from "../../http/response.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { deleteSkill, listPersonalSkills } from "../queries.ts";
import type { SkillOwner } from "../rules/custom-skill.ts";
import { createSkill, findSkillFiles, noSuchSkill, updateSkill } from "../save.ts";
import {
  newSkillSchema,
  personalSkillSchema,
  skillChangesSchema,
  skillIdSchema,
  toWirePersonalSkill,
  wholePersonalSkillSchema,
} from "../wire.ts";

const path = "/api/user/skills";
const tag = "Account";

const ofUser = ({ id }: { id: string }): SkillOwner => ({ type: "member", id });

const list = endpoint({
  method: "GET",
  path,
  operation: "listPersonalSkills",
  summary:
    "List your personal skills by name. For an agent or a cron run, those of the member it acts as; none for a run whose cron another wrote last.",
  tag,
  access: "personal-skill.list",
  noun: "none",
  response: { status: 200, data: z.array(personalSkillSchema) },
  async handle({ env, caller: { actor, workspaceId } }) {
    const user = findOwner(actor);
    if (!user) return ok([]);
    return ok((await listPersonalSkills(env.DB, user.id, { onlyWorkspaceId: workspaceId })).map(toWirePersonalSkill));
  },
});

const create = endpoint({
  method: "POST",
  path,
  operation: "createPersonalSkill",
  summary: "Save a skill of your own. Each name can exist once among yours, whether on or off.",
  tag,
  access: "personal-skill.change",
  noun: "none",
  body: { schema: newSkillSchema },
  response: { status: 201, data: skillIdSchema },
  refusals: ["BAD_REQUEST", "SKILL_NAME_TAKEN"],
  async handle({ env, now, caller: { user }, body }) {
    if (!user) return refuse("FORBIDDEN");
    const id = await createSkill(env, ofUser(user), body, now);
    return isRefusal(id) ? id : created({ id });
  },
});

const read = endpoint({
  method: "GET",
  path: `${path}/{skillId}`,
  operation: "readPersonalSkill",
  summary: "Read a personal skill with every file.",
  tag,
  access: "personal-skill.read",
  noun: "none",
  response: { status: 200, data: wholePersonalSkillSchema },
  refusals: ["NOT_FOUND"],
  async handle({ env, caller: { actor, workspaceId }, params: { skillId } }) {
    const user = findOwner(actor);
    if (!user) return refuse("FORBIDDEN");
    const [row] = await listPersonalSkills(env.DB, user.id, { id: skillId, onlyWorkspaceId: workspaceId });
    const files = row === undefined ? null : await findSkillFiles(env, ofUser(user), row);
    return row === undefined || files === null ? noSuchSkill : ok({ ...toWirePersonalSkill(row), files });
  },
});

const change = endpoint({
  method: "PATCH",
  path: `${path}/{skillId}`,
  operation: "changePersonalSkill",
  summary: "Switch a personal skill on or off, or replace its files. Sessions follow at their next turn.",
  tag,
  access: "personal-skill.change",
  noun: "none",
  body: { schema: skillChangesSchema },
  response: { status: 204 },
  refusals: ["NOT_FOUND", "SKILL_NAME_TAKEN"],
  async handle({ env, now, caller: { user }, params: { skillId }, body }) {
    if (!user) return refuse("FORBIDDEN");
    return (await updateSkill(env, ofUser(user), { id: skillId, ...body }, now)) ?? noContent;
  },
});

const remove = endpoint({
  method: "DELETE",
  path: `${path}/{skillId}`,
  operation: "deletePersonalSkill",
  summary: "Delete a personal skill. Sessions drop it at their next turn.",
  tag,
  access: "personal-skill.delete",
  noun: "none",
  response: { status: 204 },
  refusals: ["NOT_FOUND"],
  async handle({ env, now, caller: { user }, params: { skillId } }) {
    if (!user) return refuse("FORBIDDEN");
    return (await deleteSkill(env.DB, ofUser(user), skillId, now)) ? noContent : noSuchSkill;
  },
});

export const personalSkillRoutes = [list, create, read, change, remove];
