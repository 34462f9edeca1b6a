// Answers that one object has of another and passes on to its own caller.

/**
 * A copy, which is the object's own. The platform marks each answer of a call as one to be disposed of; passed on as it is, it would keep the call
 * open until its receiver disposes of it, which nobody does.
 */
export const passedOn = <Answer extends object>(answer: Answer): Answer => ({ ...answer });
