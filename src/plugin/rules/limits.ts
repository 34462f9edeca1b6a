// The limits of marketplaces and plugins. `limits.ts` exports them too, as it does every number
// that the product promises.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const mebibyte = 1_024 * 1_024;

/** Decisions 8: how often the Official Marketplaces are read. */
export const marketplaceRefreshMs = 1 * dayMs;
/** The delay before a marketplace that could not be read is retried. */
export const marketplaceRetryMs = 1 * hourMs;
/** Of one marketplace. */
export const marketplacePluginsMax = 1_000;
/** Of the manifest of a marketplace, or of a plugin. */
export const pluginManifestBytes = 1 * mebibyte;
/** Of the archive of a repository, as it is sent. */
export const pluginArchiveBytes = 64 * mebibyte;
/** Of the archive of a repository, unpacked. */
export const pluginArchiveUnpackedBytes = 256 * mebibyte;
export const pluginArchiveMs = 30 * secondMs;
export const pluginFileCount = 500;
export const pluginFileBytes = 1 * mebibyte;
/** Of all files of a plugin together. */
export const pluginTotalBytes = 5 * mebibyte;
/** Of a plugin's description; longer ones are cut. */
export const pluginDescriptionCharactersMax = 1_000;
/** Of the other texts of a manifest; longer ones are cut. */
export const pluginTextCharactersMax = 200;
/** The timeout of a hook that does not set one. */
export const hookTimeoutMs = 60 * secondMs;
/** The longest timeout that a hook may set. */
export const hookTimeoutMsMax = 600 * secondMs;
/** How long the agent of a plugin may work on one prompt. */
export const pluginAgentMs = 10 * minuteMs;
/** How long the result of a tool waits for a language server's report on the file. */
export const languageServerMs = 2 * secondMs;
