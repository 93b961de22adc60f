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
    const answer = await fetch(url, {
      headers: { accept: 'text/html' },
      signal: asking.signal,
    });
    if (!answer.ok) return form.submit();
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const results = document.importNode(page.getElementById('results'), true);
    document.getElementById('results').replaceWith(results);
    history.replaceState(null, '', url);
    localiseTimes(results);
    wireTicks();
    announcement.textContent = page.getElementById('count').textContent;
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

/** The box in the heading ticks all users of the page. Shows how many are ticked. */
function wireTicks() {
  const all = document.getElementById('tick-all');
  if (!all) return;
  const boxes = [...document.querySelectorAll('input[name="user"]')];
  const tell = () => {
    const ticked = boxes.filter(({ checked }) => checked).length;
    all.checked = ticked === boxes.length;
    all.indeterminate = ticked > 0 && !all.checked;
    document.getElementById('ticked').textContent = text(
      ticked === 0 ? 'ticked.none' : 'ticked.some',
      { n: ticked },
    );
    for (const button of document.querySelectorAll('.bulk button')) button.disabled = ticked === 0;
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
