/** Noncharacters (Unicode 23.7), and what XML 1.0 §2.2 forbids: most control characters and lone surrogates. */
const FORBIDDEN = /[\0-\x08\v\f\x0E-\x1F\p{Cs}\p{Noncharacter_Code_Point}]/gu;

/** Whether a text may be stored. Every text that users enter must pass, since documents may contain it. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.search(FORBIDDEN) === -1;

/** A text of an earlier version, which allowed all characters, for a document. */
export const withoutForbidden = (text: string): string => text.replace(FORBIDDEN, '\uFFFD');
