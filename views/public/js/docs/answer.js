import { badge, element } from '../dom.js';

/** The longest part of an answer that the page shows: an export of a million users is too much for it. */
const SHOWN_CHARACTERS = 100_000;

/** Shows a request and its answer. */
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
    // Not JSON: CSV, JSON Lines or metrics.
  }
  if (whole === '') return '(empty)';
  return whole.length > SHOWN_CHARACTERS
    ? `${whole.slice(0, SHOWN_CHARACTERS)}\n… ${whole.length - SHOWN_CHARACTERS} characters more`
    : whole;
}
