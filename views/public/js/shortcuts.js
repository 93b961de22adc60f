import { element } from '/static/js/dom.js';
import { text } from '/static/js/texts.js';

/** Who speaks to the computer presses single keys by accident, so they can be switched off (WCAG 2.2, 2.1.4). */
const SINGLE_KEYS = 'servicefido-single-keys';

function areSingleKeysOn() {
  try {
    return localStorage.getItem(SINGLE_KEYS) !== 'off';
  } catch {
    return true; // storage is blocked
  }
}

function setSingleKeys(isOn) {
  try {
    localStorage.setItem(SINGLE_KEYS, isOn ? 'on' : 'off');
  } catch {
    // Storage is blocked: they stay on.
  }
}

const SHORTCUTS = [
  ['Ctrl K', text('shortcuts.search')],
  ['/', text('shortcuts.search')],
  ['?', text('shortcuts.show')],
  ['Esc', text('shortcuts.close')],
];

function singleKeysSwitch() {
  const box = element('input', { type: 'checkbox' });
  box.checked = areSingleKeysOn();
  box.addEventListener('change', () => setSingleKeys(box.checked));
  return element('label', {}, box, text('shortcuts.single'));
}

function showShortcuts() {
  const rows = SHORTCUTS.flatMap(([key, meaning]) => [
    element('dt', {}, element('kbd', {}, key)),
    element('dd', {}, meaning),
  ]);
  const close = element('button', { type: 'button', class: 'secondary' }, text('shortcuts.done'));
  const dialog = element(
    'dialog',
    { class: 'keys-help', 'aria-labelledby': 'keys-help-heading' },
    element(
      'article',
      {},
      element('h2', { id: 'keys-help-heading' }, text('shortcuts.heading')),
      element('dl', { class: 'facts' }, ...rows),
      singleKeysSwitch(),
      close,
    ),
  );
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const isTyping = ({ target }) => target.closest('input, textarea, select, [contenteditable]');
const isControl = ({ key, ctrlKey, metaKey, altKey }) =>
  key === 'k' && (ctrlKey || metaKey) && !altKey;
const isSingle = (event) =>
  !(event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) && areSingleKeysOn();

/** Pages without a search have no shortcuts. */
const search = document.querySelector('input[type="search"]');
if (search) {
  const open = element('button', { type: 'button', class: 'shortcuts' }, text('shortcuts.heading'));
  open.addEventListener('click', showShortcuts);
  document.querySelector('.site-footer > .container').append(open);

  document.addEventListener('keydown', (event) => {
    const isSlash = event.key === '/' && isSingle(event);
    if (isControl(event) || isSlash) {
      event.preventDefault();
      search.focus();
      search.select();
    }
    const isQuestion = event.key === '?' && isSingle(event);
    if (isQuestion && !document.querySelector('dialog[open]')) showShortcuts();
  });
}
