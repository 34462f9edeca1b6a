// The project of the user's own repository, in the demo workspace. The first start proposes its
// settings; later starts do not change them.
import type { Proposal } from "../../src/project/rules/proposal/proposal.ts";
import type { Secrets } from "../secrets.ts";
import { findSeeded, seedProject } from "../seed.ts";
import type { ImportResult } from "./own-repository.ts";

export interface OwnProject {
  projectId: string;
  /** Notes for the user, one line each. */
  notes: string[];
}

/** Opens the project, or creates it if it does not exist. */
export async function getOwnProject(
  database: D1Database,
  { project, notes, propose }: ImportResult,
  secrets: Secrets,
): Promise<OwnProject> {
  const existing = await findSeeded(database, project.repository);
  if (existing !== null) return { projectId: existing, notes };
  const proposal = await propose();
  const projectId = await seedProject(database, { ...project, settings: proposal.settings }, secrets);
  return { projectId, notes: [...notes, ...proposalNotes(proposal)] };
}

function proposalNotes({ settings, reasons }: Proposal): string[] {
  const change = "PUT $BASE/api/projects/$PROJECT/settings";
  if (settings.services.length === 0) {
    const none = `No service was found in it, so there is no preview. ${change} can name one.`;
    return [...(reasons.length > 0 ? ["Found in its files:"] : []), ...reasons.map((reason) => `  ${reason}`), none];
  }
  return [
    "Proposed as its settings, from what its files say:",
    ...reasons.map((reason) => `  ${reason}`),
    `${change} changes them. A service has to listen on the port in PORT.`,
  ];
}
