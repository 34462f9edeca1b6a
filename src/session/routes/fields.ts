// The fields of a session that several bodies share.
import * as z from "zod";
import { placeIdCharacters, spendLimitUsdMax } from "../../rules/limits.ts";
import { isTriggerPlace } from "../../trigger/rules/trigger.ts";
import { isBranchName } from "../rules/branch.ts";

const titleCharacters = 200;
/** Of the name of a branch. */
export const branchCharacters = 255;

export const titleField = z.string().trim().min(1).max(titleCharacters).describe("Its title.");
export const branchField = z
  .string()
  .max(branchCharacters)
  .refine(isBranchName, "is not a branch name")
  .describe("The branch that the pull request merges into.");

export const metadataField = z
  .record(z.string(), z.string())
  .describe(
    "Texts by keys, to find the session. At most 50 keys of 40 letters, digits, `_`, `-` and `.`, values of 500 characters, and 10,000 characters together.",
  );

export const placeField = z
  .strictObject({
    kind: z
      .string()
      .refine((kind) => /^[a-z][a-z0-9_-]{0,39}$/.test(kind), "must be up to 40 of a-z, 0-9, _ and -")
      .refine((kind) => !isTriggerPlace(kind), "is for triggers")
      .describe("Such as `slack`."),
    id: z.string().min(1).max(placeIdCharacters).describe("Its id there, such as that of a channel and thread."),
  })
  .describe("From a relay: a place has one open session.");

/** A workspace has this field too. */
export const spendLimitField = z.number().min(0).max(spendLimitUsdMax).nullable().meta({
  id: "SpendLimit",
  description: "What model calls on the workspace's credentials may cost, in US dollars; null for no limit.",
});
