// What a turn is given to be called by its messages: kept skills, and plugins. Part of the protocol with the sandbox program.

/** A skill that the service keeps. GET `url` with the turn token as bearer credential returns its files as JSON. */
export interface GivenSkill {
  name: string;
  /** The SHA-256 of its `skillContent`, in base64url. */
  hash: string;
  url: string;
}

/**
 * A plugin that the session's Assignee has on. GET `url` with the turn token as bearer credential returns its files as a tar; PUT an
 * InstallReport there tells what came of it.
 */
export interface GivenPlugin {
  name: string;
  /** The SHA-256 of its `pluginContent`, in base64url. */
  hash: string;
  url: string;
  /** True if it could not be had the last time, so that a success is to be told. */
  hasFailed: boolean;
}

/** What came of a plugin in a sandbox; null after a success. */
export interface InstallReport {
  failure: string | null;
}
