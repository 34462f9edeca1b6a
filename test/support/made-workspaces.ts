// Workspaces that the tests of a file make in the console, with the people who join them.
import type { Page } from "playwright-core";
import { afterEach, expect } from "vitest";
import { type Browser, signIn } from "./browser.ts";
import type { Person } from "./client.ts";
import type { WorldAddress } from "./world-address.ts";

type World = Pick<WorldAddress, "baseUrl" | "users">;
type Role = "admin" | "member";

/** Returns how a test makes a workspace. Each is deleted when its test is over. */
export function madeWorkspaces(world: World) {
  const made: { path: string; owners: Person[] }[] = [];
  afterEach(async () => {
    for (const { path, owners } of made.splice(0))
      for (const owner of owners) {
        const browser = await signIn(world, owner);
        const { data } = (await browser.call("GET", path)).body;
        if (data?.role === "owner") await browser.call("DELETE", path, { name: data.name });
      }
  });

  return {
    /** Makes a workspace of the owner's. The people join it with their roles. */
    async makeWorkspace(name: string, people: Partial<Record<Person, Role>> = {}) {
      const boss = await signIn(world, "owner");
      const { data } = (await boss.call("POST", "/api/organizations", { name })).body;
      const path = `/api/organizations/${data.id}`;
      made.push({ path, owners: ["owner", ...(Object.keys(people) as Person[])] });
      for (const [person, role] of Object.entries(people)) await join(boss, path, person as Person, role);
      return { id: data.id as string, slug: data.slug as string, path, at: `/w/${data.id}`, boss };
    },
    /** Deletes a workspace that a person made in the console. */
    deleteLater(id: string, owner: Person): void {
      made.push({ path: `/api/organizations/${id}`, owners: [owner] });
    },
  };

  async function join(boss: Browser, path: string, person: Person, role: Role): Promise<void> {
    const invited = await boss.call("POST", `${path}/invitations`, { email: `${person}@example.com`, role });
    const guest = await signIn(world, person);
    expect((await guest.call("POST", `/api/invitations/${invited.body.data.token}/accept`)).status).toBe(200);
  }
}

/** Clicks the button of the question that the page asks. */
export const confirmQuestion = (page: Page, word: string): Promise<void> =>
  page.getByRole("alertdialog").getByRole("button", { name: word }).click();
