// The schemas of requests to the sandbox program, which the program validates before it acts.
// `protocol.ts` documents their fields. Only the program imports this file, so it uses the small
// build of Zod.
import * as z from "zod/mini";
import { type AgentProfile, gitAccesses, productToolNames, skillSources } from "../chat/rules/agent-profile.ts";
import { isBranchName } from "../session/rules/branch.ts";
import {
  type AttachedFile,
  type BranchFetch,
  type Checkout,
  type Compaction,
  type FileWrite,
  type GitCommit,
  type GitPush,
  type GivenPlugin,
  type GivenSkill,
  type LineAnchors,
  type LinkCommand,
  type ModelAccess,
  modelWires,
  type ServicePlan,
  type ServicesPlan,
  type TurnStart,
} from "./protocol.ts";

/** An id that becomes a file name. */
export const idSchema = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_-]{1,100}$/, { error: "is not an id: an id consists of letters, digits, `-` and `_`" }));

export const commitIdSchema = z
  .string()
  .check(z.regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, { error: "is not the id of a commit" }));

export const branchSchema = z.string().check(z.refine((name) => isBranchName(name), { error: "is not a branch name" }));

const httpAddress = (url: string) => /^(http|ws)s?:$/.test(URL.parse(url)?.protocol ?? "");
const urlSchema = z.string().check(z.refine(httpAddress, { error: "is not the address of a server" }));

const wholeNumber = z.int().check(z.minimum(1, { error: "is below 1" }));

/** Environment variables. */
export const environmentSchema = z.record(
  z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/)),
  z
    .string()
    .check(z.refine((value) => !value.includes("\0"), { error: "holds a character that no variable can hold" })),
);

const flag = z._default(z.boolean(), false);

export const checkoutSchema: z.ZodMiniType<Checkout> = z.object({
  remoteUrl: z.string(),
  token: z.string(),
  branch: branchSchema,
  baseBranch: branchSchema,
  commit: z.optional(z.string().check(z.regex(/^[0-9a-f]{40}$/))),
  setup: z.array(z.string()),
  env: environmentSchema,
  reportsSetupFailure: z.optional(z.boolean()),
  spareBranch: z.optional(branchSchema),
  newest: z.optional(z.string()),
  early: z.optional(z.boolean()),
});

export const fileWriteSchema: z.ZodMiniType<FileWrite> = z.object({
  path: z.string(),
  content: z.string(),
  baseHash: z.optional(z.string()),
});

export const commitSchema: z.ZodMiniType<GitCommit> = z.object({
  message: z.string(),
  author: z.object({ name: z.string(), email: z.string() }),
});

export const pushSchema: z.ZodMiniType<GitPush> = z.object({ token: z.string() });

export const branchFetchSchema: z.ZodMiniType<BranchFetch> = z.object({ branch: branchSchema, token: z.string() });

export const linesSchema: z.ZodMiniType<LineAnchors> = z.object({
  base: branchSchema,
  anchors: z.array(
    z.object({
      filePath: z.string(),
      side: z.enum(["old", "new"]),
      startLineNumber: wholeNumber,
      endLineNumber: wholeNumber,
    }),
  ),
});

const endpointSchema = z.object({
  name: z.optional(z.string()),
  port: wholeNumber,
  healthPath: z.optional(z.string()),
});

export const serviceSchema: z.ZodMiniType<ServicePlan> = z.object({
  name: z.string(),
  command: z.string(),
  cwd: z.optional(z.string()),
  env: z.optional(environmentSchema),
  endpoints: z.array(endpointSchema),
});

export const servicesSchema: z.ZodMiniType<ServicesPlan> = z.object({
  services: z.array(serviceSchema),
  env: environmentSchema,
  restart: flag,
  hostEnv: z.optional(environmentSchema),
});

const modelSchema: z.ZodMiniType<ModelAccess> = z.object({
  provider: z.string(),
  wire: z.enum(modelWires),
  baseUrl: urlSchema,
  token: z.string(),
  id: z.string(),
  effort: z.string(),
  speed: z._default(z.nullable(z.string()), null),
  contextWindow: wholeNumber,
  maxOutputTokens: wholeNumber,
  acceptsImages: flag,
});

// An unknown name is refused: the program cannot know what it permits.
const profileSchema: z.ZodMiniType<AgentProfile> = z.object({
  tools: z.array(z.enum(productToolNames)),
  writes: flag,
  git: z.enum(gitAccesses),
  skills: z.array(z.enum(skillSources)),
  skillsElsewhere: z.optional(z.array(z.string())),
  resultSchema: z.optional(z.string()),
  keepsLog: z.optional(z.boolean()),
  instructions: z.string(),
});

const attachmentsSchema: z.ZodMiniType<AttachedFile[]> = z.array(
  z.object({
    id: idSchema,
    name: z.string(),
    mediaType: z.string(),
    byteSize: z.int().check(z.minimum(0, { error: "is below 0" })),
    url: urlSchema,
  }),
);

const skillCallSchema = z._default(z.nullable(z.object({ name: z.string(), argument: z.string() })), null);

const skillsSchema: z.ZodMiniType<GivenSkill[]> = z.array(
  z.object({ name: z.string(), hash: z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/)), url: urlSchema }),
);

const pluginsSchema: z.ZodMiniType<GivenPlugin[]> = z.array(
  z.object({
    name: z.string(),
    hash: z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/)),
    url: urlSchema,
    hasFailed: flag,
  }),
);

export const turnSchema: z.ZodMiniType<TurnStart> = z.object({
  turnId: idSchema,
  link: z.object({ url: urlSchema, token: z.string() }),
  model: modelSchema,
  git: z.object({ token: z.string() }),
  targetBranch: z.string(),
  prompt: z.string(),
  skill: skillCallSchema,
  skills: z._default(skillsSchema, []),
  plugins: z._default(pluginsSchema, []),
  answers: z._default(z.nullable(z.array(z.object({ question: z.string(), option: z.string() }))), null),
  profile: profileSchema,
  attachments: attachmentsSchema,
  outputsUrl: urlSchema,
  toolsUrl: urlSchema,
  artifactsUrl: urlSchema,
  api: z.object({ url: urlSchema, token: z.string(), projectId: idSchema }),
  conversation: z.object({ id: idSchema, isNew: flag, handover: z._default(z.nullable(z.string()), null) }),
  env: environmentSchema,
  secretNames: z._default(z.array(z.string()), []),
  secrets: z._default(z.array(z.string()), []),
});

export const compactionSchema: z.ZodMiniType<Compaction> = z.object({
  commandId: z.string(),
  model: modelSchema,
  conversationId: idSchema,
  profile: profileSchema,
  focus: z.string(),
});

/** A command of the service over the turn link. */
export const linkCommandSchema: z.ZodMiniType<LinkCommand> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ack"), seq: z.int().check(z.minimum(0)) }),
  z.object({
    type: z.literal("steer"),
    steerId: z.string(),
    text: z.string(),
    skill: skillCallSchema,
    attachments: attachmentsSchema,
  }),
  z.object({ type: z.literal("stop") }),
  z.object({ type: z.enum(["show_outputs", "hide_outputs"]) }),
]);
