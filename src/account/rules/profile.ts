// The profile of a user: their information about themselves, and how agents should write to them.

export const replyStyles = ["not_tech", "simplified", "standard"] as const;
export type ReplyStyle = (typeof replyStyles)[number];

export interface Profile {
  id: string;
  email: string;
  name: string;
  imageUrl: string | null;
  onboardingCompleted: boolean;
  createdAt: number;
  marketingEmails: boolean;
  /** The Commits preference: true means Automatic, false means Manual. */
  autoCommit: boolean;
  replyStyle: ReplyStyle;
  defaultModel: string | null;
}

/** The fields of their own profile that a user changes. */
export type ProfileChanges = Partial<Pick<Profile, "name" | "marketingEmails" | "autoCommit" | "replyStyle">>;
