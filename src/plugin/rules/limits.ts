// The numbers of marketplaces and plugins. `limits.ts` has them too, as it has every number that
// the product promises.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const mebibyte = 1_024 * 1_024;

/** D 8: the Official Marketplaces are read again this often. */
export const marketplaceRefreshMs = 1 * dayMs;
/** One that could not be read is tried again after this. */
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
/** How long a hook may take that says nothing of it. */
export const hookTimeoutMs = 60 * secondMs;
/** How long a hook may take that says so itself. */
export const hookTimeoutMsMax = 600 * secondMs;
/** How long the agent of a plugin may work on one prompt. */
export const pluginAgentMs = 10 * minuteMs;
/** How long the answer of a tool waits for what a language server says of the file. */
export const languageServerMs = 2 * secondMs;
