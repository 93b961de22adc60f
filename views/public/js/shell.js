import { element } from '/static/js/dom.js';

/** Times stand in the page as UTC; here they are written as the reader's clock shows them. */
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: 'auto' });
const UNITS = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
  ['month', 2_629_800],
  ['year', 31_557_600],
];

function sinceText(date) {
  const seconds = (Date.now() - date) / 1000;
  const [unit, size] = UNITS.findLast(([, size]) => seconds >= size) ?? [];
  if (!unit) return 'just now';
  return relative.format(-Math.floor(seconds / size), unit);
}

/** Writes the times below a node, once each. */
export function localiseTimes(root) {
  for (const time of root.querySelectorAll('time[datetime]:not([title])')) {
    const date = new Date(time.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    const isRelative = 'relative' in time.dataset;
    time.title = isRelative ? full.format(date) : time.dateTime;
    time.textContent = isRelative ? sinceText(date) : full.format(date);
  }
}

const KEYS = [
  ['/', 'Search on this page'],
  ['?', 'Show these keys'],
  ['Esc', 'Close what is open'],
];

function showKeys() {
  const rows = KEYS.flatMap(([key, meaning]) => [
    element('dt', {}, element('kbd', {}, key)),
    element('dd', {}, meaning),
  ]);
  const close = element('button', { type: 'button', class: 'secondary' }, 'Close');
  const dialog = element(
    'dialog',
    { class: 'keys-help', 'aria-labelledby': 'keys-help-heading' },
    element(
      'article',
      {},
      element('h2', { id: 'keys-help-heading' }, 'Keys'),
      element('dl', { class: 'facts' }, ...rows),
      close,
    ),
  );
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

const isTyping = ({ target }) => target.closest('input, textarea, select, [contenteditable]');

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  const search = document.querySelector('[data-focus-key], input[type="search"]');
  if (event.key === '/' && search) {
    event.preventDefault();
    search.focus();
    search.select();
  }
  if (event.key === '?' && !document.querySelector('dialog[open]')) showKeys();
});

localiseTimes(document);
