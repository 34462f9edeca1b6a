/** Ends an operator's command with a sentence that says what to do. */
export class Stop extends Error {}
