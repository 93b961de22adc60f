import { CATALOGUE } from './catalogue.js';
import type { Code } from './catalogue.js';

/** A refusal for people who know no protocol. */
export interface Explanation {
  /** What was wrong. */
  readonly reason: string;
  /** What the help desk can do about it. */
  readonly advice: string;
}

const REGISTER_AGAIN = 'Ask the person to try again; if it stays so, to register the key anew.';
const TELL_DEVELOPERS =
  'The page that calls this server is at fault: give its developers the request ID.';
const OTHER_KEY = 'Ask the person to use another key, of a model that is allowed here.';

/** Refusals that people meet; what the others mean concerns developers only. */
const WORDS: Partial<Record<Code, Explanation>> = {
  E0024R: {
    reason: 'It took too long, or the page was used twice',
    advice: 'Ask the person to try again, and to answer the prompt without delay.',
  },
  E0027R: {
    reason: 'The answer belonged to another kind of prompt',
    advice: TELL_DEVELOPERS,
  },
  E0028R: {
    reason: 'The answer belonged to another attempt',
    advice: 'Ask the person to close other tabs of this page and to try again.',
  },
  E0029R: {
    reason: 'The page has an address that is not allowed',
    advice:
      'If the address is right, an administrator has to allow it for the relying party. If not, the person may have been led to a forged page.',
  },
  E0030R: {
    reason: 'The key answered for another service',
    advice: 'Ask the person which page it was: it may have been a forged one.',
  },
  E0031R: {
    reason: 'The key did not confirm the person',
    advice: 'Ask the person to touch the key, and to give its PIN, fingerprint or face when asked.',
  },
  E0032R: { reason: 'The signature is wrong', advice: REGISTER_AGAIN },
  E0033R: {
    reason: 'The key is not registered for this user',
    advice:
      'The key was deleted, or belongs to another user name. Compare the keys of this page with the one at hand.',
  },
  E0034R: {
    reason: 'The key is disabled',
    advice: 'Enable it here when the person has it in hand and nobody else had it.',
  },
  E0035R: {
    reason: 'The key may have been copied',
    advice:
      'Its counter went back. Disable it, give the person a new one, and tell those who look after security.',
  },
  E0036R: {
    reason: 'The key is registered already',
    advice: 'Nothing is wrong: the person can sign in with it, maybe by another user name.',
  },
  E0037R: { reason: 'The model is not on the whitelist', advice: OTHER_KEY },
  E0038R: { reason: 'The model is not trusted', advice: OTHER_KEY },
  E0039R: { reason: 'The key uses a method that is not accepted', advice: OTHER_KEY },
  E0040R: {
    reason: 'Too many attempts',
    advice: 'Ask the person to wait a minute. Many of these may be an attack on this name.',
  },
  E0043R: {
    reason: 'Registration was not permitted',
    advice:
      'The person has to sign in with a key they have, or needs an invitation (ticket) to register.',
  },
  E0044R: { reason: 'Nobody has this user name', advice: 'Check its spelling.' },
};

/** What callers cannot tell apart, and older records do not. */
const NO_ACCOUNT: Explanation = {
  reason: 'Unknown user name, or no enabled key',
  advice: 'Check the spelling of the user name, and whether the person has a key that is enabled.',
};
const WHICH: ReadonlyMap<string | undefined, Explanation> = new Map([
  [
    'unknown-user',
    {
      reason: 'Nobody has this user name',
      advice: 'Check its spelling, and whether the person was ever registered here.',
    },
  ],
  [
    'no-enabled-key',
    {
      reason: 'The user has no enabled key',
      advice:
        'Enable a key that the person has in hand and nobody else had, or let them register another one.',
    },
  ],
]);

/**
 * What a refusal means and what to do about it; of rare ones, the catalogue's sentence.
 *
 * @param detail what the ledger says beside the code
 */
export function explain(code: string | null, detail: string | null = ''): Explanation {
  if (code === null) return WHICH.get(detail?.split(' ')[0]) ?? NO_ACCOUNT;
  const known = Object.hasOwn(CATALOGUE, code) ? (code as Code) : undefined;
  const sentence = known ? CATALOGUE[known][1] : code;
  return (
    (known && WORDS[known]) ?? { reason: sentence.replace(/\.$/, ''), advice: TELL_DEVELOPERS }
  );
}
