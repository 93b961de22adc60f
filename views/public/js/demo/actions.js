import { createKeys } from '/sdk/keys.js';
import { hint, invited, itIsYou, ownKeys, registered, signedIn } from './outcome.js';
import { authenticateOptions, registerOptions, relyingPartyOf } from './page-code.js';
import { text } from '../texts.js';

/**
 * The actions of the buttons. They receive the SDK's `client`, `form`, `visit`, the `keys` of this tab, and `fetch`.
 * Each resolves with the content to show, and with the occasion on which a backend does something.
 */
export const ACTIONS = {
  register: (page) => register(page),

  async authenticate(page) {
    const answer = await page.client.authenticate(authenticateOptions(page.form));
    return { shown: enter(page, answer), occasion: 'signedIn' };
  },

  async signIn(page) {
    const answer = await page.client.signIn();
    return { shown: enter(page, answer, text('byPasskey')), occasion: 'signedIn' };
  },

  async upgrade(page) {
    const { username, displayName } = registerOptions(page.form);
    if (!page.visit.isFresh(username)) return { shown: hint(...NOT_SURE) };
    const token = page.visit.tokenOf(username);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await page.client
      .upgrade({ username, displayName, token, signal })
      .catch((error) => {
        if (!signal.aborted) throw error;
      });
    if (!answer) return { shown: hint(...NO_UPGRADE), occasion: 'upgrade' };
    page.keys.registered(answer);
    return {
      shown: registered(answer, text('upgraded')),
      occasion: 'upgrade',
    };
  },

  /** For a browser that creates no passkey without a prompt. */
  passkey: (page) => register(page, { residentKey: 'required' }),

  async second(page) {
    const { username } = registerOptions(page.form);
    if (page.visit.isFresh(username)) return register(page);
    const answer = await page.client.authenticate({ username, userVerification: 'required' });
    enter(page, answer);
    return { shown: itIsYou() };
  },

  async myKeys(page) {
    const { client, form, visit, fetch } = page;
    const { username } = registerOptions(form);
    const signIn = async () => {
      enter(page, await client.authenticate({ username }));
      return visit.tokenOf(username);
    };
    const list = createKeys({
      // Browsers send no Origin header when a page reads from its own origin.
      relyingParty: relyingPartyOf(form) ?? visit.domain,
      fetch,
      token: ({ fresh }) => (fresh ? undefined : visit.tokenOf(username)) ?? signIn(),
    });
    return { shown: ownKeys(await list.list(), visit.domain), occasion: 'registered' };
  },

  async invite({ form, visit, fetch }) {
    const { username, displayName } = registerOptions(form);
    const relyingParty = relyingPartyOf(form) ?? visit.domain;
    const minKeys = Number(new FormData(form).get('minKeys'));
    const body = { username, displayName, relyingParty, minKeys };
    const response = await fetch(`${location.origin}/userapi/invitations`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw { ...answer, message: answer.errorMessage, status: response.status };
    return { shown: invited(answer, username), occasion: 'invited' };
  },

  close: (page) => register(page),
  verify: (page) => register(page, { userVerification: 'required', attachment: 'cross-platform' }),
  again: (page) => register(page),
};

/** Without this limit a browser may keep the call pending for the whole ceremony, unseen by the user. */
const PATIENCE_MS = 8_000;

const NOT_SURE = [
  text('notSure.title'),
  text('notSure.text'),
  { action: 'authenticate', label: text('notSure.do') },
];
const NO_UPGRADE = [
  text('noUpgrade.title'),
  text('noUpgrade.text'),
  { action: 'passkey', label: text('noUpgrade.do') },
];

async function register({ client, form, visit, keys }, wishes = {}) {
  const options = { ...registerOptions(form), ...wishes };
  const answer = await client.register({ ...options, token: visit.tokenOf(options.username) });
  keys.registered(answer, options.keypair?.name);
  return { shown: registered(answer), occasion: 'registered' };
}

/** Stores the sign-in, and returns the content to show. */
export function enter({ visit, keys }, answer, how) {
  keys.signedIn(answer);
  visit.signIn(answer);
  return signedIn(answer, how);
}
