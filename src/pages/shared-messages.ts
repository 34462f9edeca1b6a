// The texts of a public link's page in the states without a preview.
import type { MessageText } from "./message-page.tsx";

export const linkNotFound: MessageText = {
  tone: "ended",
  heading: "This link leads nowhere",
  text: "It does not exist, or it was revoked. Ask the person who shared it for a new one.",
};

export const tooManyRequests: MessageText = {
  tone: "resting",
  heading: "A moment, please",
  text: "This link was opened very often from your network. Try again in a minute.",
};

export const artifactNotFound: MessageText = {
  tone: "ended",
  heading: "This artifact is not here",
  text: "It does not exist, or its session is gone.",
};

export const artifactUnavailable: MessageText = {
  tone: "resting",
  heading: "This artifact cannot be shown now",
  text: "Try again in a moment.",
};

export const viewExpired: MessageText = {
  tone: "ended",
  heading: "This view has closed",
  text: "It was open for 15 minutes. Open the artifact again in its session.",
};

/** The notices by state. `action` is the label of the button. */
export const pageMessages = {
  starting: {
    tone: "coming",
    heading: "Waking the preview",
    text: "The project starts in a sandbox of its own. That takes a few seconds.",
  },
  slow: {
    tone: "coming",
    heading: "Still on its way",
    text: "No service of the project responds yet. It may be slow, or fail each time it starts. If nothing appears, ask the person who shared it.",
  },
  paused: {
    tone: "resting",
    heading: "The preview is resting",
    text: "It was paused because nobody used it for a while, or to make room for others. It comes back as it was.",
    action: "Wake it up",
  },
  not_running: {
    tone: "resting",
    heading: "The preview cannot start now",
    text: "Its workspace has no room to run it at the moment. Try again later, or ask the person who shared it.",
    action: "Try again",
  },
  no_frontends: {
    tone: "resting",
    heading: "Nothing to see here yet",
    text: "The project runs, but none of its services shows anything in a browser.",
    action: "Look again",
  },
  session_ended: {
    tone: "ended",
    heading: "This session has ended",
    text: "Its work is done, so it no longer has a preview.",
  },
  link_gone: {
    tone: "ended",
    heading: "This link is no longer available",
    text: "The preview is no longer shared. Ask the person who shared it for a new link.",
  },
} satisfies Record<string, MessageText & { action?: string }>;

export type PageState = keyof typeof pageMessages;
