import { badge, element } from '../dom.js';

/** As much of an answer as a page shows; an export of a million users is better kept as a file. */
const SHOWN_CHARACTERS = 100_000;

/** What was asked and answered, for reading. */
export function answerView(asked, response, { text, milliseconds }) {
  const { status, statusText, headers } = response;
  const kind = response.ok ? ['good', 'check'] : ['bad', 'cross'];
  return [
    element('h3', {}, 'Answer'),
    element(
      'p',
      { class: 'answered' },
      badge(...kind, `${status} ${statusText}`.trim()),
      element('span', { class: 'muted' }, `${asked} · ${Math.round(milliseconds)} ms`),
    ),
    block('Body of the answer', readable(text)),
    element(
      'details',
      {},
      element('summary', {}, 'Headers of the answer'),
      block(
        'Headers of the answer',
        [...headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
      ),
    ),
  ];
}

function block(label, text) {
  return element(
    'pre',
    { tabindex: '0', 'aria-label': label, role: 'region' },
    element('code', {}, text),
  );
}

/** JSON on several lines; any other text as it is. */
function readable(text) {
  let whole = text;
  try {
    whole = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // It is no JSON: CSV, JSON Lines, metrics.
  }
  if (whole === '') return '(empty)';
  return whole.length > SHOWN_CHARACTERS
    ? `${whole.slice(0, SHOWN_CHARACTERS)}\n… ${whole.length - SHOWN_CHARACTERS} characters more`
    : whole;
}
