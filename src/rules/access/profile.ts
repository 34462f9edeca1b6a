// The profile of a user: what people say about themselves, and how they want to be written to.

export const replyStyles = ["not_tech", "simplified", "standard"] as const;
export type ReplyStyle = (typeof replyStyles)[number];
