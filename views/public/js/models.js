import { searchedPage } from '/static/js/busy.js';

/** Searches for models while the user types; without this script the button searches. */
const WAIT_MS = 150;
const form = document.getElementById('find');
const field = form.elements.find;
let timer;
let asking;

async function search() {
  asking?.abort();
  asking = new AbortController();
  const query = new URLSearchParams({ find: field.value }).toString();
  const url = `${form.getAttribute('action')}?${query}`;
  try {
    // The address answers a script with JSON unless it asks for the page.
    const page = await searchedPage(form, `${url}&format=html`, asking.signal);
    if (!page) return form.submit();
    const found = document.importNode(page.getElementById('found'), true);
    document.getElementById('found').replaceChildren(...found.childNodes);
    history.replaceState(null, '', url);
  } catch (error) {
    if (error.name !== 'AbortError') form.submit();
  }
}

form.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(search, WAIT_MS);
});
