import { element } from '/static/js/dom.js';
import { text } from '/static/js/texts.js';

/** Searches that take longer than this say that they are at work. */
const SLOW_MS = 300;
const sign = element('p', { class: 'busy-sign', 'aria-live': 'polite' });
document.body.append(sign);

/** The forms and links of the searches under way. */
const searching = [];
let timer;

function show() {
  sign.textContent = text('loading');
  // Only a form: in a link, Pico would add a turning sign and move the words.
  for (const node of searching) if (node.matches('form')) node.setAttribute('aria-busy', 'true');
}

/** Says that a search is at work, once it takes long. */
function beginSearch(form) {
  searching.push(form);
  clearTimeout(timer);
  if (sign.textContent === '') timer = setTimeout(show, SLOW_MS);
  else show();
}

function endSearch(form) {
  searching.splice(searching.indexOf(form), 1);
  if (!searching.includes(form)) form.removeAttribute('aria-busy');
  if (searching.length > 0) return;
  clearTimeout(timer);
  sign.textContent = '';
}

/** Returns the page at an address, as a search of a form. */
export async function searchedPage(form, url, signal) {
  beginSearch(form);
  try {
    const answer = await fetch(url, { headers: { accept: 'text/html' }, signal });
    if (!answer.ok) return undefined;
    return new DOMParser().parseFromString(await answer.text(), 'text/html');
  } finally {
    endSearch(form);
  }
}

/** A form or a link that the browser follows itself ends with the page. */
const loading = [];

function beginLoading(node) {
  loading.push(node);
  beginSearch(node);
}

const endLoading = () => loading.splice(0).forEach(endSearch);

document.addEventListener('submit', ({ target: form, defaultPrevented }) => {
  if (!defaultPrevented && form.getAttribute('method') === 'get') beginLoading(form);
});
document.addEventListener('click', (event) => {
  const link = event.target.closest('.site-header nav a, a.pager');
  const isInNewTab = event.ctrlKey || event.metaKey || event.shiftKey;
  if (link && !isInNewTab && !event.defaultPrevented) beginLoading(link);
});

/** A load that the reader stopped, or replaced by the next one: a load begins after the one before it ended. */
globalThis.navigation?.addEventListener('navigateerror', () => {
  if (loading.length > 0) endSearch(loading.shift());
});
/** Not every browser reports the end of a load that was stopped. */
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') endLoading();
});

/** A page that the browser shows again from its back/forward cache no longer waits for an answer. */
addEventListener('pageshow', endLoading);
