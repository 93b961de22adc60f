import { CATALOGUE } from './catalogue.js';
import type { Code } from './catalogue.js';

/** A refusal explained to people who do not know the protocol. */
export interface Explanation {
  /** What was wrong. */
  readonly reason: string;
  /** What the help desk can do about it. */
  readonly advice: string;
  /** What the help desk tells the caller, in one sentence. */
  readonly tell: string;
}

const REGISTER_AGAIN = 'Ask the person to try again; if it stays so, to register the key anew.';
const TELL_DEVELOPERS =
  'The page that calls this server is at fault: give its developers the request ID.';
const OTHER_KEY = 'Ask the person to use another key, of a model that is allowed here.';

const TELL_OTHER_KEY =
  'This kind of key is not accepted here: please use one that the company gave you.';
const TELL_US = 'The fault is not yours: we pass it on to those who run this page.';
const TELL_AGAIN = 'Please try once more, on a freshly loaded page.';

/** People meet E0044R only when an invitation is looked up. */
const NO_INVITATION: Explanation = {
  reason: 'The link of an invitation was cut off, or has ended',
  advice: 'Make a new link on the page of the person, and have it opened to its very last sign.',
  tell: 'The link does not work any more: I send you a new one.',
};

/** Refusals that people meet; the others concern developers only. */
const WORDS: Partial<Record<Code, Explanation>> = {
  E0024R: {
    reason: 'It took too long, or the page was used twice',
    advice: 'Ask the person to try again, and to answer the prompt without delay.',
    tell: 'It took too long: please reload the page and answer the prompt at once.',
  },
  E0027R: {
    reason: 'The answer belonged to another kind of prompt',
    advice: TELL_DEVELOPERS,
    tell: TELL_US,
  },
  E0028R: {
    reason: 'The answer belonged to another attempt',
    advice: 'Ask the person to close other tabs of this page and to try again.',
    tell: 'Please close all other tabs of this page and try once more.',
  },
  E0029R: {
    reason: 'The page has an address that is not allowed',
    advice:
      'If the address is right, an administrator has to allow it for the relying party. If not, the person may have been led to a forged page.',
    tell: 'Please stop, and read me the address in the address bar of your browser.',
  },
  E0030R: {
    reason: 'The key answered for another service',
    advice: 'Ask the person which page it was: it may have been a forged one.',
    tell: 'Please stop, and read me the address in the address bar of your browser.',
  },
  E0031R: {
    reason: 'The key did not confirm the person',
    advice: 'Ask the person to touch the key, and to give its PIN, fingerprint or face when asked.',
    tell: 'Please try once more, and enter the PIN or show finger or face when you are asked.',
  },
  E0032R: { reason: 'The signature is wrong', advice: REGISTER_AGAIN, tell: TELL_AGAIN },
  E0033R: {
    reason: 'The key is not registered for this user',
    advice:
      'The key was deleted, or belongs to another user name. Compare the keys of this page with the one at hand.',
    tell: 'This key does not belong to the name that you entered: please check the name, or take your other key.',
  },
  E0034R: {
    reason: 'The key is disabled',
    advice: 'Enable it here when the person has it in hand and nobody else had it.',
    tell: 'This key is switched off: do you have it in your hand, and has nobody else had it?',
  },
  E0035R: {
    reason: 'The key may have been copied',
    advice:
      'Its counter went back. Disable it, give the person a new one, and tell those who look after security.',
    tell: 'Please do not use this key any more: you get a new one.',
  },
  E0036R: {
    reason: 'The key is registered already',
    advice: 'Nothing is wrong: the person can sign in with it, maybe by another user name.',
    tell: 'This key is registered already: please just sign in with it.',
  },
  E0037R: { reason: 'The model is not allowed here', advice: OTHER_KEY, tell: TELL_OTHER_KEY },
  E0038R: { reason: 'The model is not trusted', advice: OTHER_KEY, tell: TELL_OTHER_KEY },
  E0039R: {
    reason: 'The key uses a method that is not accepted',
    advice: OTHER_KEY,
    tell: TELL_OTHER_KEY,
  },
  E0040R: {
    reason: 'Too many attempts',
    advice: 'Ask the person to wait a minute. Many of these may be an attack on this name.',
    tell: 'Please wait a minute, then try once more.',
  },
  E0043R: {
    reason: 'Registration was not permitted',
    advice:
      'The person has to sign in with a key they have, or needs an invitation (ticket) to register.',
    tell: 'Please sign in with a key that you have, or use the invitation that I send you.',
  },
  E0044R: NO_INVITATION,
};

/**
 * Explains a refusal without a code. Callers do not learn which of the two it was, and neither do old events
 * tell.
 */
const NO_ACCOUNT: Explanation = {
  reason: 'Unknown user name, or no enabled key',
  advice: 'Check the spelling of the user name, and whether the person has a key that is enabled.',
  tell: 'No key can sign in under the name that you entered: please spell it to me.',
};
const WHICH: ReadonlyMap<string | undefined, Explanation> = new Map([
  [
    'unknown-user',
    {
      reason: 'Nobody has this user name',
      advice: 'Check its spelling, and whether the person was ever registered here.',
      tell: 'Nobody here has the name that you entered: please spell it to me.',
    },
  ],
  [
    'no-enabled-key',
    {
      reason: 'The user has no enabled key',
      advice:
        'Enable a key that the person has in hand and nobody else had, or let them register another one.',
      tell: 'None of your keys is switched on: is one in your hand, and has nobody else had it?',
    },
  ],
  [
    'invitation-other-name',
    {
      reason: 'The invitation is for another user name',
      advice:
        'Find the person, and say the user name as it stands there: capitals may count. Ten wrong names end the link.',
      tell: 'Your link is good, but for another user name: I spell it to you.',
    },
  ],
  ['invitation-over', NO_INVITATION],
]);

/**
 * What a refusal means and what to do about it; for rare ones, the catalogue's sentence.
 *
 * @param detail the word that the ledger records beside the code
 */
export function explain(code: string | null, detail: string | null = ''): Explanation {
  const [said = ''] = detail?.split(' ') ?? [];
  const which = WHICH.get(said);
  if (which) return which;
  if (code === null) return NO_ACCOUNT;
  // With the policy `unknownUsers`, callers get the code of a wrong signature and the detail has the real
  // one.
  if (said !== code && Object.hasOwn(CATALOGUE, said)) return explain(said);
  const known = Object.hasOwn(CATALOGUE, code) ? (code as Code) : undefined;
  const sentence = known ? CATALOGUE[known][1] : code;
  return (
    (known && WORDS[known]) ?? {
      reason: sentence.replace(/\.$/, ''),
      advice: TELL_DEVELOPERS,
      tell: TELL_US,
    }
  );
}
