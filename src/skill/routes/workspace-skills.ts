// The skills of a workspace, available in each of its sessions. Members read them; owner and admins
// change them.
import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { created, noContent, ok } from "../../http/response.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { deleteSkill, findSkill, listWorkspaceSkills } from "../queries.ts";
import type { SkillOwner } from "../rules/custom-skill.ts";
import { createSkill, findSkillFiles, noSuchSkill, updateSkill } from "../save.ts";
import {
  newSkillSchema,
  skillChangesSchema,
  skillIdSchema,
  toWireWorkspaceSkill,
  wholeWorkspaceSkillSchema,
  workspaceSkillSchema,
} from "../wire.ts";

const path = "/api/organizations/{workspaceId}/skills";
const tag = "Workspaces";

const ofWorkspace = ({ workspace: { id } }: { workspace: { id: string } }): SkillOwner => ({ type: "workspace", id });

const list = endpoint({
  method: "GET",
  path,
  operation: "listWorkspaceSkills",
  summary: "List the skills of a workspace by name.",
  tag,
  access: "workspace-skill.read",
  noun: "workspace",
  response: { status: 200, data: z.array(workspaceSkillSchema) },
  async handle({ env, found }) {
    return ok((await listWorkspaceSkills(env.DB, found.workspace.id)).map(toWireWorkspaceSkill));
  },
});

const create = endpoint({
  method: "POST",
  path,
  operation: "createWorkspaceSkill",
  summary: "Save a skill for the workspace. Owner and admins.",
  tag,
  access: "workspace-skill.change",
  noun: "workspace",
  body: { schema: newSkillSchema },
  response: { status: 201, data: skillIdSchema },
  refusals: ["BAD_REQUEST", "SKILL_NAME_TAKEN"],
  async handle({ env, now, found, body }) {
    const id = await createSkill(env, ofWorkspace(found), body, now);
    return isRefusal(id) ? id : created({ id });
  },
});

const read = endpoint({
  method: "GET",
  path: `${path}/{skillId}`,
  operation: "readWorkspaceSkill",
  summary: "Read a skill of a workspace with every file.",
  tag,
  access: "workspace-skill.read",
  noun: "workspace",
  response: { status: 200, data: wholeWorkspaceSkillSchema },
  async handle({ env, found, params: { skillId } }) {
    const owner = ofWorkspace(found);
    const row = await findSkill(env.DB, owner, skillId);
    const files = row && (await findSkillFiles(env, owner, row));
    return row && files ? ok({ ...toWireWorkspaceSkill(row), files }) : noSuchSkill;
  },
});

const change = endpoint({
  method: "PATCH",
  path: `${path}/{skillId}`,
  operation: "changeWorkspaceSkill",
  summary: "Switch a skill of a workspace on or off, or replace its files. Owner and admins.",
  tag,
  access: "workspace-skill.change",
  noun: "workspace",
  body: { schema: skillChangesSchema },
  response: { status: 204 },
  refusals: ["SKILL_NAME_TAKEN"],
  async handle({ env, now, found, params: { skillId }, body }) {
    return (await updateSkill(env, ofWorkspace(found), { id: skillId, ...body }, now)) ?? noContent;
  },
});

const remove = endpoint({
  method: "DELETE",
  path: `${path}/{skillId}`,
  operation: "deleteWorkspaceSkill",
  summary: "Delete a skill of a workspace. Sessions drop it at their next turn. Owner and admins.",
  tag,
  access: "workspace-skill.delete",
  noun: "workspace",
  response: { status: 204 },
  async handle({ env, now, found, params: { skillId } }) {
    return (await deleteSkill(env.DB, ofWorkspace(found), skillId, now)) ? noContent : noSuchSkill;
  },
});

export const workspaceSkillRoutes = [list, create, read, change, remove];
