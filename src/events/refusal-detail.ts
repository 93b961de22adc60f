/** What a refusal's event records beside the code. */
export interface RefusalDetail {
  /** The failed check, or the reason (with the rule that is broken); empty if neither says more than the code. */
  readonly word: string;
  /** How many refusals of a flood the event represents, including its own. */
  readonly alike: number;
  /** The origin that is not allowed, or the first value of the reason's sentence, for example a field. */
  readonly value?: unknown;
  /** The application for which the user signs in: `oidc CLIENT_ID`. */
  readonly application?: string | undefined;
}

/** The text that the ledger stores: `signature-invalid`, or `signature-invalid (32 alike)` in a flood. */
export function refusalDetailText({ word, alike, value, application }: RefusalDetail): string {
  return [word, alike > 1 ? `(${alike} alike)` : '', value, application].filter(Boolean).join(' ');
}

/** A value without blanks, between the number of refusals and the application. */
const VALUE = /^\S+ (?:\(\d+ alike\) )?(\S+)(?: oidc \S+)?$/;

/** Reads what `refusalDetailText` wrote, except the numbers and the application. */
export const readRefusalDetail = (
  text: string,
): { readonly word: string; readonly value: string | undefined } => ({
  word: /^\S*/.exec(text)?.[0] ?? '',
  value: VALUE.exec(text)?.[1],
});
