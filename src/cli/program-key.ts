// Where the program of the command line is in the bucket.
export const programKey = "cli/sy.js";
