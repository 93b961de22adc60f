import { searchedPage } from '/static/js/busy.js';
import { element } from '/static/js/dom.js';
import { text } from '/static/js/texts.js';

/**
 * The search in the header: shows the matches of its page while the user types. Arrow keys move through them, and the
 * Enter key opens a single one. Without this script it opens its page.
 */
const WAIT_MS = 150;
const form = document.getElementById('one-search');
const list = element('div', { class: 'card matches', hidden: '' });
const count = element('p', { class: 'visually-hidden', 'aria-live': 'polite' });
let timer;
let asking;
/** The text of the shown matches. */
let searched;

const links = () => [...list.querySelectorAll('a')];

function close() {
  list.hidden = true;
}

async function search() {
  const { value } = form.elements.q;
  asking?.abort();
  asking = new AbortController();
  if (value.trim() === '') return close();
  const url = `${form.getAttribute('action')}?${new URLSearchParams({ q: value })}`;
  const page = await searchedPage(form, url, asking.signal).catch(() => undefined);
  const found = page?.getElementById('found');
  if (value !== form.elements.q.value) return;
  if (!found) return close();
  // The page of the search has the same headings.
  for (const node of found.querySelectorAll('[id], [aria-labelledby]')) {
    node.removeAttribute('id');
    node.removeAttribute('aria-labelledby');
  }
  list.replaceChildren(...document.importNode(found, true).childNodes);
  list.hidden = !form.contains(document.activeElement);
  searched = value;
  count.textContent = text('shortcuts.found', { n: links().length });
}

/** Moves the focus by a number of matches; above the first one is the field. */
function move(by) {
  const all = [form.elements.q, ...links()];
  all[Math.min(Math.max(all.indexOf(document.activeElement) + by, 0), all.length - 1)].focus();
}

const KEYS = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  Escape: () => {
    form.elements.q.focus();
    close();
  },
};

if (form) {
  form.append(list, count);
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(search, WAIT_MS);
  });
  form.addEventListener('submit', (event) => {
    const [only, second] = links();
    if (list.hidden || searched !== form.elements.q.value || !only || second) return;
    event.preventDefault();
    only.click();
  });
  form.addEventListener('keydown', (event) => {
    if (list.hidden || !Object.hasOwn(KEYS, event.key)) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!form.contains(relatedTarget)) close();
  });
}
