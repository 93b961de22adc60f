import '/static/js/busy.js';
import '/static/js/copy.js';
import '/static/js/kept-form.js';
import '/static/js/one-search.js';
import '/static/js/sent-form.js';
import '/static/js/shortcuts.js';
import { locale, moment as full, text } from '/static/js/texts.js';

/** Times are UTC in the page; this script shows them in the reader's time zone. */
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const UNITS = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
  ['month', 2_629_800],
  ['year', 31_557_600],
];

const startOfDay = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());
/** Days of the calendar: the evening before yesterday is two days ago. Not all days have 24 hours. */
const daysUntil = (date) => Math.round((startOfDay(date) - startOfDay(new Date())) / 86_400_000);

function relativeText(date) {
  const seconds = (date - Date.now()) / 1000;
  const [unit, size] = UNITS.findLast(([, size]) => Math.abs(seconds) >= size) ?? [];
  if (unit === 'day') return relative.format(daysUntil(date), unit);
  if (unit) return relative.format(Math.trunc(seconds / size), unit);
  return seconds > 0 ? relative.format(1, 'minute') : text('justNow');
}

/** `2026-11-28 14:51:30 UTC` */
const utcText = (date) => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Formats the times below a node, each only once. */
export function localiseTimes(root) {
  for (const time of root.querySelectorAll('time[datetime]:not([title])')) {
    const date = new Date(time.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    const isRelative = 'relative' in time.dataset;
    time.title = isRelative ? `${full.format(date)} (${utcText(date)})` : utcText(date);
    time.textContent = isRelative ? relativeText(date) : full.format(date);
  }
}

for (const zone of document.querySelectorAll('[data-zone]')) {
  const { timeZone } = full.resolvedOptions();
  if (zone.matches('input')) zone.value = timeZone;
  else zone.textContent = timeZone;
}

/** A page that shows a secret once is the answer to a form, and a reload would send the form again. */
const { again } = document.body.dataset;
if (again) history.replaceState(null, '', again);

/** The server reads the choice when it sends the next page, so this reloads the page. */
for (const languages of document.querySelectorAll('.language-switch')) {
  languages.hidden = again !== undefined;
  languages.addEventListener('click', ({ target }) => {
    const { language } = target.dataset;
    if (!language) return;
    document.cookie = `servicefido-language=${language}; path=/; max-age=31536000; samesite=lax`;
    location.reload();
  });
}

localiseTimes(document);

/** Leaves the address as it is: `/enrol`, `/my-keys` and the setup page read a code from its fragment. */
document.querySelector('.skip-link').addEventListener('click', (event) => {
  event.preventDefault();
  document.querySelector('#content').focus();
});

/** Opens the folded sections that contain a field. */
export function unfold(field) {
  for (let node = field; node; node = node.parentElement)
    if (node.matches('details')) node.open = true;
}

/** Scrolls a refused form to its first invalid field. */
const wrong = document.querySelector('[aria-invalid="true"]');
if (wrong) {
  unfold(wrong);
  wrong.focus();
  wrong.scrollIntoView({ block: 'center' });
}
