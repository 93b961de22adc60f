import { badge, element, facts, notice } from '../dom.js';
import { adviceOf } from './advice.js';
import { moment, text } from '../texts.js';

const paragraph = (words, attributes = {}) => element('p', attributes, words);

/** A button that continues with another action of the form. */
const next = (action, words) =>
  element(
    'p',
    { class: 'next' },
    element('button', { form: 'demo-form', name: 'action', value: action }, words),
  );

export const registered = (answer, title = text('registeredFor', { name: answer.username })) =>
  notice(
    'good',
    'check',
    title,
    facts([
      [text('facts.authenticator'), answer.authenticatorName ?? text('facts.unknown')],
      [text('facts.verified'), answer.userVerified ? text('facts.yes') : text('facts.no')],
      [text('facts.attestation'), answer.attestation.format],
    ]),
  );

export const signedIn = (answer, how = '') =>
  notice(
    'good',
    'check',
    text('signedInAs', { name: answer.displayName, how }),
    facts([
      [text('facts.verified'), answer.userVerified ? text('facts.yes') : text('facts.no')],
      [text('facts.counter'), String(answer.signCount)],
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
    element('summary', {}, text('claims')),
    element('pre', { tabindex: '0' }, claims),
  );
}

/** A message about a missing step, with a button for it. */
export const hint = (title, words, { action, label }) =>
  notice('warn', 'info', title, paragraph(words), next(action, label));

export const itIsYou = () =>
  notice(
    'good',
    'check',
    text('itIsYou.title'),
    paragraph(text('itIsYou.text')),
    next('second', text('itIsYou.do')),
  );

/** The keys as the server lists them, with a link to the page that changes them. */
export function ownKeys({ displayName, keys }, domain) {
  const rows = keys.map((key) =>
    element(
      'li',
      {},
      element('strong', {}, key.label),
      ...(key.current ? [' ', badge('good', 'check', text('own.with'))] : []),
      ...(key.enabled ? [] : [' ', badge('bad', 'cross', text('own.disabled'))]),
      paragraph(
        `${key.authenticatorName ?? text('own.model')} · ${key.lastUsedAt ? text('own.used', { at: moment.format(new Date(key.lastUsedAt)) }) : text('own.never')}`,
        { class: 'muted' },
      ),
    ),
  );
  const href = `/my-keys?${new URLSearchParams({ relyingParty: domain })}`;
  return notice(
    'good',
    'key',
    text(keys.length === 1 ? 'own.one' : 'own.some', { count: keys.length, name: displayName }),
    element('ul', { class: 'own-keys' }, ...rows),
    element('p', {}, element('a', { href }, text('own.change'))),
  );
}

/** The link is shown only once: the server stores only its hash. */
export const invited = ({ url, expiresAt }, username) =>
  notice(
    'good',
    'check',
    text('linkFor', { name: username }),
    element('p', {}, element('code', { class: 'link' }, url)),
    paragraph(text('goodUntil', { at: moment.format(new Date(expiresAt)) })),
    element(
      'p',
      { class: 'next' },
      element('a', { href: url, target: '_blank', role: 'button' }, text('follow')),
    ),
  );

const MILD = ['cancelled', 'aborted', 'timeout', 'already_registered'];

/** The sentence of a refusal in the page's language; on English pages the server's own, which says more. */
function sentenceOf({ errorCode = '', status }) {
  if (status === undefined || document.documentElement.lang === 'en') return undefined;
  const { content } = document.getElementById('refusals');
  return content.querySelector(`[data-code="${errorCode}"]`)?.textContent;
}

/** @param asked the request to the browser, if there was one */
export function failure(error, asked) {
  const [said, advice, lang] = adviceOf(error, asked, sentenceOf(error));
  const title = lang ? element('span', { lang }, said) : said;
  const isMild = MILD.includes(error.kind);
  const exception = error.cause?.name && text('browserSaid', { name: error.cause.name });
  const small = [exception, error.requestId && text('request', { id: error.requestId })].filter(
    Boolean,
  );
  return notice(
    isMild ? 'warn' : 'bad',
    isMild ? 'info' : 'warning',
    title,
    ...(advice ? [paragraph(advice)] : []),
    ...small.map((words) => paragraph(words, { class: 'muted' })),
  );
}
