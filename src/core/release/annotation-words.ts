/** The text of an annotation, by name. */
export type Annotations = (name: string) => string | undefined;

/** Thrown by the readers of annotations and made a value at their edge: a dozen annotations can each be wrong. */
export class Misread extends Error {}

/** The word, or a Misread that names the annotation and the words that it knows. */
export function knownWord<const Word extends string>(name: string, text: string, known: readonly Word[]): Word {
  const word = known.find((one) => one === text);
  if (word !== undefined) return word;
  throw new Misread(`annotation ${name} is "${text}": it may be ${known.join(', ')}`);
}

/** The words of a list with commas. */
export function wordsOf(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
