// The kept skills of a turn as the sandbox program receives them: each with an address that serves exactly the version that the turn began
// with, to that turn alone.
import { type SigningKeys, sign, verify } from "../signing.ts";
import type { GivenSkill } from "./protocol.ts";
import type { RequestedSkill } from "./turn-request.ts";

interface SkillAddress {
  turnId: string;
  bodyKey: string;
}

/** Gives each skill its address. `expiresAt` is in milliseconds since the epoch. */
export function givenSkills(
  env: SigningKeys & { SANDBOX_TO_SERVICE_URL: string },
  { turnId, skills = [] }: { turnId: string; skills?: RequestedSkill[] },
  expiresAt: number,
): Promise<GivenSkill[]> {
  return Promise.all(
    skills.map(async ({ name, hash, bodyKey }) => {
      const address: SkillAddress = { turnId, bodyKey };
      return {
        name,
        hash,
        url: `${env.SANDBOX_TO_SERVICE_URL}/internal/skills/${await sign(env, "skill", address, expiresAt)}`,
      };
    }),
  );
}

/** The R2 key that an address of this turn leads to; null for any other text. */
export async function skillBodyAt(
  keys: SigningKeys,
  turnId: string,
  text: string,
  now: number,
): Promise<string | null> {
  const address = await verify<SkillAddress>(keys, "skill", text, now);
  return address?.turnId === turnId ? address.bodyKey : null;
}
