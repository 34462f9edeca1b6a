// What triggers of tests have in common.
import type { Trigger } from "../../src/trigger/rules/trigger.ts";

/** A trigger without filters. */
export const noFilters = {
  branches: [],
  checks: [],
  reviews: [],
  labels: [],
  paths: [],
  associations: [],
  assignees: [],
  json: [],
  place: null,
  cause: null,
} satisfies Trigger["when"];
