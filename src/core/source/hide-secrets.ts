import { isMap } from '../object/fields.ts';

/** Keys whose values are nobody's business. */
const SECRET_KEY = /pass|secret|token|key|credential|auth|private|cert/i;
/** Shorter texts are words of a message by chance, and hiding them would garble it. */
const SHORTEST = 4;

/** Texts in values that a message must not quote: all below a key that sounds like a secret, longest first. */
export function secretTexts(values: unknown): string[] {
  const found = new Set<string>();
  const visit = (value: unknown, secret: boolean): void => {
    if (typeof value === 'string') {
      if (secret && value.length >= SHORTEST) found.add(value);
    } else if (Array.isArray(value)) {
      for (const one of value) visit(one, secret);
    } else if (isMap(value)) {
      for (const [key, one] of Object.entries(value)) visit(one, secret || SECRET_KEY.test(key));
    }
  };
  visit(values, false);
  return [...found].sort((a, b) => b.length - a.length);
}

/** The message with `***` for each of the texts, also where it quotes them in parts of lines. */
export function hideTexts(message: string, texts: readonly string[]): string {
  let hidden = message;
  for (const text of texts) {
    for (const part of [text, ...text.split('\n')]) {
      const piece = part.trim();
      if (piece.length >= SHORTEST) hidden = hidden.replaceAll(piece, '***');
    }
  }
  return hidden;
}
