import { createClient } from '/sdk/servicefido.js';
import { createKeys } from '/sdk/keys.js';
import { badge, element, facts, notice } from '/static/js/dom.js';
import { buttonsOff } from '/static/js/user-facing/buttons.js';
import { wordsOf } from '/static/js/user-facing/refusal.js';
import { moment, text } from '/static/js/texts.js';

const $ = (id) => document.getElementById(id);
const root = $('my-keys');
const relyingParty = root.dataset.relyingParty;
const fido = createClient({ relyingParty });

/** A little less than the five minutes for which a token lets its user change keys. */
const FRESH_MS = 4.5 * 60_000;

/** Only in memory: after a reload the user signs in again. */
let token;
let signedInAt = 0;
let username = '';
/** The keys that were new to a sign-in of this page, by ID: a later sign-in does not list them again. */
const newKeys = new Map();

function entered(answer) {
  ({ token, username } = answer);
  signedInAt = Date.now();
  for (const key of answer.newKeys ?? []) newKeys.set(key.credentialId, key);
  return token;
}

const signIn = async () =>
  entered(await fido.authenticate({ username, userVerification: 'required' }));

const keys = createKeys({
  relyingParty,
  token: ({ fresh }) => (fresh || !token ? signIn() : token),
});

const time = (iso) => moment.format(new Date(iso));
const of = (key, values) => text(`key.${key}`, values);

/** Where a key is, in words; a synced key is on every device of its account. */
function placeOf({ transports, backedUp }) {
  const places = transports.map((transport) => text(`places.${transport}`)).filter(Boolean);
  const place = places.length > 0 ? places.join(text('places.or')) : text('places.unknown');
  return backedUp ? text('places.synced', { place }) : place;
}

const say = (kind, iconName, title, ...rest) =>
  $('outcome').replaceChildren(
    notice(kind, iconName, title, ...rest.map((line) => element('p', {}, line))),
  );

function failed(error) {
  say(...wordsOf(error));
}

async function run(step) {
  const buttonsOn = buttonsOff(root);
  try {
    await step();
  } catch (error) {
    failed(error);
  } finally {
    buttonsOn();
    if (!token) void offer();
  }
}

/** Errors of autofill that are not shown, because the user did not start it. */
const UNSEEN = ['aborted', 'unsupported', 'cancelled', 'timeout', 'busy', 'network'];

/** Offers passkeys in the list of the name field, until another call of this page begins. */
async function offer() {
  const field = $('form')?.elements.username;
  if (!field) return;
  try {
    const answer = await fido.autofill(field);
    await run(() => show(answer));
  } catch (error) {
    if (!UNSEEN.includes(error.kind)) failed(error);
  }
}

async function show(answer) {
  $('outcome').replaceChildren();
  entered(answer);
  await refresh();
  if (newKeys.size > 0) say('warn', 'warning', of('newKeys'), of('newKeysText'));
}

async function refresh() {
  const found = await keys.list();
  $('whose').replaceChildren(of('signedInAs'), element('bdi', {}, found.displayName), '.');
  const enabled = found.keys.filter((key) => key.enabled).length;
  $('keys').replaceChildren(...found.keys.map((key) => card(key, key.enabled && enabled === 1)));
  $('sign-in').hidden = true;
  $('list').hidden = false;
  $('whose').focus();
}

function button(label, kind, action) {
  const made = element('button', { type: 'button', class: kind }, label);
  made.addEventListener('click', action);
  return made;
}

function card(key, isLast) {
  const { credentialId, label, enabled, current, authenticatorName, createdAt, lastUsedAt } = key;
  const added = newKeys.get(credentialId);
  const state = enabled
    ? current && badge('good', 'check', of('current'))
    : badge('bad', 'cross', of('disabled'));
  const below = element('div', {});
  /** A button that opens a form below; what closes the form leads back to the button. */
  const opener = (words, form) => {
    const opens = button(words, 'secondary outline', () => below.replaceChildren(form(close)));
    const close = () => {
      below.replaceChildren();
      opens.focus();
    };
    return opens;
  };
  const name = element('h2', {}, element('bdi', {}, label));
  return element(
    'li',
    { class: 'card' },
    element(
      'div',
      { class: 'key-head' },
      name,
      ...(state ? [state] : []),
      ...(added ? [badge('warn', 'warning', of('new'))] : []),
    ),
    facts([
      [of('model'), authenticatorName ?? of('unknownModel')],
      [of('lastUsed'), lastUsedAt ? time(lastUsedAt) : of('never')],
      [of('made'), time(createdAt)],
      ...(added?.origin ? [[of('addedBy'), of(`origins.${added.origin}`)]] : []),
      [of('where'), placeOf(key)],
    ]),
    element(
      'div',
      { class: 'key-actions' },
      opener(of('rename', { name: label }), (close) => renaming(key, close)),
      ...(enabled
        ? [opener(of('delete', { name: label }), (close) => deletion(key, { isLast, close }))]
        : []),
      ...(enabled && added && !current
        ? [opener(of('report', { name: label }), (close) => reporting(key, close))]
        : []),
    ),
    below,
  );
}

function renaming({ credentialId, label }, close) {
  const field = element('input', { maxlength: '200', required: '', autocomplete: 'off' });
  field.value = label;
  const form = element(
    'form',
    {},
    element('label', {}, of('newName'), field),
    element('button', {}, of('save')),
    button(of('cancel'), 'secondary outline', close),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(async () => {
      await keys.rename(credentialId, field.value.trim());
      await refresh();
      say('good', 'check', of('renamed'));
    });
  });
  queueMicrotask(() => field.focus());
  return form;
}

/** What a form is about to do; it takes the focus, so that screen readers read it out. */
function warning(title, words) {
  const box = notice('bad', 'warning', title, element('p', {}, words));
  box.tabIndex = -1;
  queueMicrotask(() => box.focus());
  return box;
}

function deletion(key, { isLast, close }) {
  const { credentialId, label } = key;
  const sure = element('input', { type: 'checkbox', required: '' });
  const form = element(
    'form',
    {},
    warning(of('deleteIt', { name: label }), isLast ? of('last') : of('forGood')),
    ...(isLast ? [element('label', {}, sure, of('understood'))] : []),
    element('button', { class: 'danger' }, isLast ? of('deleteLast') : of('deleteForGood')),
    button(of('keep'), 'secondary outline', close),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(async () => {
      const left = await keys.remove(credentialId, { last: isLast }).catch((error) => {
        if (isLast || error.errorCode !== 'E0045R') throw error;
      });
      // The others were deleted in the meantime, or a rule refuses their sign-ins.
      if (left === undefined) return form.replaceWith(deletion(key, { isLast: true, close }));
      say('good', 'check', of('deleted'));
      if (left === 0) leave();
      else await refresh();
    });
  });
  return form;
}

function reporting({ credentialId, label }, close) {
  const form = element(
    'form',
    {},
    warning(of('reportIt', { name: label }), of('reportText')),
    element('button', { class: 'danger' }, of('reportForSure')),
    button(of('cancel'), 'secondary outline', close),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run(async () => {
      await keys.report(credentialId);
      await refresh();
      say('good', 'check', of('reported'));
    });
  });
  return form;
}

function leave() {
  token = undefined;
  username = '';
  newKeys.clear();
  $('list').hidden = true;
  $('sign-in').hidden = false;
  $('sign-in-heading').focus();
}

$('form')?.addEventListener('submit', (event) => {
  event.preventDefault();
  const name = event.target.elements.username.value;
  void run(async () =>
    show(await fido.authenticate({ username: name, userVerification: 'required' })),
  );
});
$('passkey')?.addEventListener('click', () => void run(async () => show(await fido.signIn())));
$('leave')?.addEventListener('click', () => {
  $('outcome').replaceChildren();
  leave();
  void offer();
});

/** The ticket for a new key from the application or the help desk, alone or at the end of a link. */
const ticketOf = (typed) => typed?.trim().replace(/^.*#/, '') || undefined;

/** Takes the ticket of an application's link, and removes it from the address at once. */
function takeTicket() {
  const field = $('add')?.elements.ticket;
  if (!field || location.hash === '') return;
  field.value = ticketOf(location.hash);
  history.replaceState(null, '', location.pathname + location.search);
}

$('add')?.addEventListener('submit', (event) => {
  event.preventDefault();
  const field = event.target.elements.ticket;
  void run(async () => {
    const { displayName } = await keys.list();
    const isFresh = Date.now() - signedInAt < FRESH_MS;
    const wanted = { username, displayName, ticket: ticketOf(field?.value) };
    const authority = isFresh ? token : await signIn();
    await fido.register({ ...wanted, token: authority, residentKey: 'preferred' });
    if (field) field.value = '';
    await refresh();
    say('good', 'check', of('added'));
  });
});

// Before it can work, the form would only load the page again.
if ($('sign-in')) $('sign-in').hidden = false;
takeTicket();
// Another link in the same tab changes only the fragment.
addEventListener('hashchange', takeTicket);
if (!isSecureContext) failed({ kind: 'insecure' });
else void offer();
