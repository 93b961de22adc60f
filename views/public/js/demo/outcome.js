import { badge, element, facts, notice } from '../dom.js';
import { adviceOf } from './advice.js';

const paragraph = (text, attributes = {}) => element('p', attributes, text);

/** A button that goes on with another action of the form. */
const next = (action, text) =>
  element(
    'p',
    { class: 'next' },
    element('button', { form: 'demo-form', name: 'action', value: action }, text),
  );

export const registered = (answer, title = `Registered for ${answer.username}.`) =>
  notice(
    'good',
    'check',
    title,
    facts([
      ['Authenticator', answer.authenticatorName ?? 'not told, or not known here'],
      ['User verified', answer.userVerified ? 'yes' : 'no'],
      ['Attestation', answer.attestation.format],
    ]),
  );

export const signedIn = (answer, how = '') =>
  notice(
    'good',
    'check',
    `Signed in as ${answer.displayName}${how}.`,
    facts([
      ['User verified', answer.userVerified ? 'yes' : 'no'],
      ['Signature counter', String(answer.signCount)],
    ]),
    ...(answer.token ? [tokenDetails(answer.token)] : []),
  );

/** The claims of a JWT, for reading. Your backend must verify the signature before it trusts them. */
export function claimsOf(token) {
  const [, payload] = token.split('.');
  const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))));
}

function tokenDetails(token) {
  const claims = element('code', {}, JSON.stringify(claimsOf(token), null, 2));
  return element(
    'details',
    {},
    element('summary', {}, 'Claims of the token for your backend'),
    element('pre', { tabindex: '0' }, claims),
  );
}

/** Something stands between, and what to press then. */
export const hint = (title, text, { action, label }) =>
  notice('warn', 'info', title, paragraph(text), next(action, label));

export const itIsYou = () =>
  notice(
    'good',
    'check',
    'It is you. Now the other device.',
    paragraph('Plug in, or hold ready, the one that has no key of yours yet.'),
    next('second', 'Add it'),
  );

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** The keys as the server lists them, and where they are changed. */
export function ownKeys({ displayName, keys }, domain) {
  const rows = keys.map((key) =>
    element(
      'li',
      {},
      element('strong', {}, key.deviceName),
      ...(key.current ? [' ', badge('good', 'check', 'Signed in with')] : []),
      ...(key.enabled ? [] : [' ', badge('bad', 'cross', 'Disabled')]),
      paragraph(
        `${key.authenticatorName ?? 'Model not known'} · ${key.lastUsedAt ? `last used ${time.format(new Date(key.lastUsedAt))}` : 'never used'}`,
        { class: 'muted' },
      ),
    ),
  );
  const href = `/my-keys?${new URLSearchParams({ relyingParty: domain })}`;
  return notice(
    'good',
    'key',
    `${keys.length === 1 ? 'One key' : `${keys.length} keys`} of ${displayName}`,
    element('ul', { class: 'own-keys' }, ...rows),
    element('p', {}, element('a', { href }, 'Name and delete them')),
  );
}

/** The link is shown this once: the server keeps only its hash. */
export const invited = ({ url, expiresAt }, username) =>
  notice(
    'good',
    'check',
    `A link for ${username}.`,
    element('p', {}, element('code', { class: 'link' }, url)),
    paragraph(
      `Good until ${time.format(new Date(expiresAt))}. Whoever follows it must know the user name, and is told what will happen.`,
    ),
    element(
      'p',
      { class: 'next' },
      element('a', { href: url, target: '_blank', role: 'button' }, 'Follow it'),
    ),
  );

const MILD = ['cancelled', 'aborted', 'timeout', 'already_registered'];

/** @param asked what the browser was asked, where it was */
export function failure(error, asked) {
  const [title, advice] = adviceOf(error, asked);
  const isMild = MILD.includes(error.kind);
  const exception = error.cause?.name && `The browser said: ${error.cause.name}`;
  const small = [exception, error.requestId && `Request ${error.requestId}`].filter(Boolean);
  return notice(
    isMild ? 'warn' : 'bad',
    isMild ? 'info' : 'warning',
    title,
    ...(advice ? [paragraph(advice)] : []),
    ...small.map((text) => paragraph(text, { class: 'muted' })),
  );
}
