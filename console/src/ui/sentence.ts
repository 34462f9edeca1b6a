// Sentences of the service, as a person reads them.

/** Begins a sentence about a field of the API with the field's name on the page. */
export const renameField = (sentence: string, field: string, name: string): string =>
  sentence.replace(new RegExp(`^${field}\\b`), name);

/** A sentence that says which call of the API helps. */
const ofPrograms = /\b(?:GET|PUT|POST|PATCH|DELETE) (?:on|\/)/;

/** Leaves out the sentences that are for programs, where others say what happened. */
export function dropProgramAdvice(text: string): string {
  const sentences = text.split(/(?<=[.?!]) (?=[A-Z])/);
  const kept = sentences.filter((sentence) => !ofPrograms.test(sentence));
  return kept.length === 0 ? text : kept.join(" ");
}
