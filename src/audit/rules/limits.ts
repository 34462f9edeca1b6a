// The limits of the audit log, which `limits.ts` exports with all others.

/** The default size of a page of the audit log. */
export const auditPageSizeDefault = 50;
/** The largest page of the audit log. A larger size reads as it. */
export const auditPageSizeMax = 200;
/** The number of days for which the audit log is kept. */
export const auditDays = 400;
/** The number of days for which its events are in the database. Older days are in storage. */
export const auditDaysInDatabase = 31;
