// The limits of projects, which `limits.ts` exports with all others.

const kibibyte = 1_024;
const mebibyte = 1_048_576;

/** Decisions 11. */
export const projectNameCharactersMax = 100;
/** Decisions 11. */
export const setupCommandsMax = 20;
/** Of the command of a setup step or of a service. */
export const projectCommandCharactersMax = 4_000;
/** Decisions 11. */
export const servicesMax = 20;
/** Of a service, or of one of its endpoints. */
export const serviceNameCharactersMax = 40;
/** Decisions 11: of one service. */
export const endpointsPerServiceMax = 10;
/** Of the newest output of a service that its log contains. */
export const serviceLogBytes = 256 * 1_024;
/** Decisions 11: of a project's own environment, and of each service's. */
export const variablesMax = 200;
/** Decisions 11: of one variable. */
export const variableValueBytes = 32 * kibibyte;
/**
 * Of all settings of a project together, as JSON. Sealed, they must fit into a row of the database.
 */
export const projectSettingsBytes = 1 * mebibyte;
/** Decisions 10: the branches or the people that one search of the code host answers. */
export const choicesMax = 50;
