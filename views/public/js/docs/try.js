import { element, notice } from '../dom.js';
import { answerView } from './answer.js';
import { wireCeremony } from './ceremony.js';

const form = document.getElementById('try-form');
const outcome = document.getElementById('outcome');
const { credentials, account, password, key } = form.elements;
const mediaType = form.elements['media-type'];
const bodies = [...form.querySelectorAll('[data-body]')];

/** Shows the fields that belong to the current choices. */
function follow() {
  for (const part of form.querySelectorAll('[data-credentials]')) {
    part.hidden = part.dataset.credentials !== credentials.value;
  }
  if (mediaType) for (const part of bodies) part.hidden = part.dataset.body !== mediaType.value;
}

const utf8 = (text) => String.fromCharCode(...new TextEncoder().encode(text));

const AUTHORIZATION = {
  basic: () => `Basic ${btoa(utf8(`${account.value}:${password.value}`))}`,
  bearer: () => `Bearer ${key.value.trim()}`,
};

/** The credentials of the call: the browser's cookies, or without them the ones in the form. */
function caller() {
  const named = AUTHORIZATION[credentials.value];
  if (!named) return { credentials: 'same-origin', headers: {} };
  return { credentials: 'omit', headers: { Authorization: named() } };
}

/** The fields of one place that are not empty. */
const filled = (place) =>
  [...form.querySelectorAll(`[data-place="${place}"]`)]
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => [name, value]);

function address() {
  const path = filled('path').reduce(
    (whole, [name, value]) => whole.replace(`{${name}}`, encodeURIComponent(value)),
    form.dataset.path,
  );
  const search = new URLSearchParams(filled('query'));
  return search.size > 0 ? `${path}?${search}` : path;
}

/** The chosen body, and its Content-Type header. For a form with a file the browser sets the header. */
function sentBody() {
  const part = bodies.find(({ hidden }) => !hidden);
  if (!part) return { headers: {} };
  const { body: type, kind } = part.dataset;
  const text = part.querySelector('textarea').value;
  if (kind !== 'file') return { body: text, headers: { 'Content-Type': type } };
  const body = new FormData();
  const [file] = part.querySelector('[type=file]').files;
  body.append('file', file ?? new File([text], 'file.txt'));
  return { body, headers: {} };
}

async function send() {
  const who = caller();
  const { body, headers } = sentBody();
  const began = performance.now();
  const url = address();
  const response = await fetch(url, {
    method: form.dataset.method,
    credentials: who.credentials,
    // Requests the answer for programs, because the same address may also be a page.
    headers: {
      Accept: 'application/json, */*;q=0.5',
      // No HTML form can send this header, so an upload needs no token of the page.
      'X-Requested-With': 'fetch',
      ...headers,
      ...Object.fromEntries(filled('header')),
      ...who.headers,
    },
    body,
  });
  const text = await response.text();
  return answerView(`${form.dataset.method} ${url}`, response, {
    text,
    milliseconds: performance.now() - began,
  });
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  outcome.replaceChildren(element('p', { 'aria-busy': 'true' }, 'Waiting for the answer…'));
  try {
    outcome.replaceChildren(...(await send()));
  } catch (error) {
    const title = 'There was no answer.';
    outcome.replaceChildren(notice('bad', 'warning', title, element('p', {}, String(error))));
  }
});
form.addEventListener('input', follow);

form.hidden = false;
follow();
wireCeremony({ form, outcome, caller, headers: () => Object.fromEntries(filled('header')) });
