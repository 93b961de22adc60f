import { searchedPage } from '/static/js/busy.js';
import { notice } from '/static/js/dom.js';
import { localiseTimes } from '/static/js/shell.js';
import { message, text } from '/static/js/texts.js';

const WAIT_MS = 150;

const form = document.getElementById('search');
const announcement = document.getElementById('announcement');
let timer;
let asking;

/** The address of the page for the current content of the form. */
function address() {
  const fields = [...new FormData(form)].filter(([, value]) => value !== '');
  const query = new URLSearchParams(fields).toString();
  return form.getAttribute('action') + (query === '' ? '' : `?${query}`);
}

/** Loads the page that the form would load, and shows its results. */
async function search() {
  asking?.abort();
  asking = new AbortController();
  const url = address();
  try {
    const page = await searchedPage(form, url, asking.signal);
    if (!page) return form.submit();
    const results = document.importNode(page.getElementById('results'), true);
    document.getElementById('results').replaceWith(results);
    history.replaceState(null, '', url);
    localiseTimes(results);
    wireTicks();
    const said = ['count', 'similar'].map((id) => page.getElementById(id)?.textContent);
    announcement.textContent = said.filter(Boolean).join('. ');
  } catch (error) {
    if (error.name !== 'AbortError') tellUnanswered();
  }
}

/** Says that no server answers, and leaves the page as it is: the next search replaces the results. */
function tellUnanswered() {
  const results = document.getElementById('results');
  if (results.querySelector('[role="alert"]')) return;
  const [title, why] = message('notSearched');
  const said = notice('bad', 'cross', title, ` ${why}`);
  said.setAttribute('role', 'alert');
  results.prepend(said);
}

/** Ticks stay while the user turns the pages of a view; they end when the form is sent. */
const KEPT = 'servicefido-ticks';
const viewOf = () => {
  const { searchParams } = new URL(location.href);
  searchParams.delete('cursor');
  return searchParams.toString();
};

/** The users who are ticked on the other pages of this view. */
function tickedElsewhere(boxes) {
  const { view, users = [] } = JSON.parse(sessionStorage.getItem(KEPT) ?? '{}');
  if (view !== viewOf()) return [];
  const here = boxes.map(({ value }) => value);
  for (const box of boxes) box.checked ||= users.includes(box.value);
  return users.filter((user) => !here.includes(user));
}

/** Sends the ticks of other pages with the form. */
function sendToo(bulk, users) {
  bulk.addEventListener('formdata', ({ formData }) => {
    for (const user of users) formData.append('user', user);
    sessionStorage.removeItem(KEPT);
  });
}

/** The box in the heading ticks all users of the page. Shows how many are ticked. */
function wireTicks() {
  const all = document.getElementById('tick-all');
  if (!all) return;
  const boxes = [...document.querySelectorAll('input[name="user"]')];
  const elsewhere = tickedElsewhere(boxes);
  if (!all.dataset.wired) sendToo(all.form, elsewhere);
  all.dataset.wired = 'yes';
  const tell = () => {
    const here = boxes.filter(({ checked }) => checked).map(({ value }) => value);
    const users = [...elsewhere, ...here];
    const ticked = users.length;
    sessionStorage.setItem(KEPT, JSON.stringify({ view: viewOf(), users }));
    all.checked = here.length === boxes.length;
    all.indeterminate = here.length > 0 && !all.checked;
    document.getElementById('ticked').textContent = text(
      ticked === 0 ? 'ticked.none' : 'ticked.some',
      { n: ticked },
    );
    for (const button of document.querySelectorAll('.bulk button[name]'))
      button.disabled = ticked === 0;
  };
  all.hidden = false;
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
    tell();
  });
  for (const box of boxes) box.addEventListener('change', tell);
  tell();
}

form.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(search, WAIT_MS);
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(timer);
  void search();
});
// If the user comes back from another page, the browser has kept the ticks.
addEventListener('pageshow', wireTicks);
