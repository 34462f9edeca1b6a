// The limits of skills, which `limits.ts` exports with all others.

const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;

/** Part 2, "Limits". */
export const skillFileBytes = 100 * kibibyte;
/** Part 2, "Limits". */
export const skillFileCount = 50;
/** Part 2, "Limits": all files together. */
export const skillTotalBytes = 1 * mebibyte;
/** Part 2, "Personal skill rules": of the name of a skill. */
export const skillNameCharactersMax = 64;
/** Of the description of a skill, and of its argument hint. */
export const skillDescriptionCharactersMax = 1_024;
/** Of the path of a file of a skill. */
export const skillPathBytes = 1_024;
/** Of one part of such a path: the limit of file systems. */
export const skillPathPartBytes = 255;
/** Of one person, and of one workspace. */
export const skillsMax = 500;
