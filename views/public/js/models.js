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
    const headers = { accept: 'text/html' };
    // The address answers a script with JSON unless it asks for the page.
    const answer = await fetch(`${url}&format=html`, { headers, signal: asking.signal });
    if (!answer.ok) return form.submit();
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
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
