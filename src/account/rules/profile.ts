// The profile of a user: what people say about themselves, and how they want to be written to.

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
  /** The Commits preference: true Automatic, false Manual. */
  autoCommit: boolean;
  replyStyle: ReplyStyle;
  defaultModel: string | null;
}

/** What people change of their own profile. */
export type ProfileChanges = Partial<Pick<Profile, "name" | "marketingEmails" | "autoCommit" | "replyStyle">>;
