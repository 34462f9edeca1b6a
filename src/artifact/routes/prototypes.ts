// The routes of a project's Prototypes: list, create, read and delete.
import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { created, noContent, ok } from "../../http/response.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { createPrototype, deletePrototype, readPrototype } from "../prototypes.ts";
import { listPrototypes } from "../queries.ts";
import {
  newPrototypeSchema,
  prototypeRowSchema,
  prototypeSchema,
  toWirePrototype,
  toWirePrototypeRow,
} from "../wire/prototype.ts";

const path = "/api/projects/{projectId}/prototypes";
const tag = "Artifacts";
const noPrototype = refuse("NOT_FOUND", "There is no such Prototype in this project.");

const list = endpoint({
  method: "GET",
  path,
  operation: "listPrototypes",
  summary: "List the project's newest 500 Prototypes, newest first.",
  tag,
  access: "prototype.read",
  noun: "project",
  response: { status: 200, data: z.array(prototypeRowSchema) },
  async handle({ env, found }) {
    return ok((await listPrototypes(env.DB, found.project.id)).map(toWirePrototypeRow));
  },
});

const create = endpoint({
  method: "POST",
  path,
  operation: "createPrototype",
  summary: "Create a Prototype: named variants of a document or a mockup.",
  tag,
  access: "prototype.create",
  noun: "project",
  body: { schema: newPrototypeSchema },
  isRepeatable: true,
  response: { status: 201, data: prototypeSchema },
  async handle({ env, now, found, caller, body, idempotency }) {
    const maker = { projectId: found.project.id, createdBy: caller.user?.id ?? null };
    const prototype = await createPrototype(env, { ...maker, ...body, repeat: idempotency }, now);
    return isRefusal(prototype) ? prototype : created(toWirePrototype(prototype));
  },
});

const read = endpoint({
  method: "GET",
  path: `${path}/{prototypeId}`,
  operation: "readPrototype",
  summary: "Read a Prototype with the bodies of its variants.",
  tag,
  access: "prototype.read",
  noun: "prototype",
  response: { status: 200, data: prototypeSchema },
  async handle({ env, found }) {
    const prototype = await readPrototype(env, found.prototype);
    return prototype ? ok(toWirePrototype(prototype)) : noPrototype;
  },
});

const remove = endpoint({
  method: "DELETE",
  path: `${path}/{prototypeId}`,
  operation: "deletePrototype",
  summary: "Delete a Prototype. Copies of it stay.",
  tag,
  access: "prototype.delete",
  noun: "prototype",
  response: { status: 204 },
  async handle({ env, now, found }) {
    await deletePrototype(env, found.prototype, now);
    return noContent;
  },
});

export const prototypeRoutes = [list, create, read, remove];
