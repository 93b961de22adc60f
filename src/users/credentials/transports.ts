/** Longer lists come from no authenticator. */
const MAX_TRANSPORTS = 16;
/** Visible ASCII. The column holds `MAX_TRANSPORTS` words of this length. */
const WORD = /^[!-~]{1,32}$/;

/**
 * Reported transports as a key stores them: separated by commas, each once. Unknown words are stored, so that browsers
 * that know them get them back (W3C WebAuthn L3 §5.2.1). What cannot be such a word is dropped. A comma in a word becomes
 * a space, which no word contains.
 */
export function storedTransports(reported: readonly string[] = []): string {
  const words = [...new Set(reported)].filter((word) => WORD.test(word));
  return words
    .slice(0, MAX_TRANSPORTS)
    .map((word) => word.replaceAll(',', ' '))
    .join();
}

/** The transports of a key, as its authenticator reported them. */
export const transportsOf = ({ transports }: { readonly transports: string }): string[] =>
  transports === '' ? [] : transports.split(',').map((word) => word.replaceAll(' ', ','));
