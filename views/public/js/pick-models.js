/** Looks for models of a policy while somebody types; without this script a button does. */
const WAIT_MS = 150;
const MODELS = '/userapi/aaguid';

/** A box to tick for a model as the page of the models lists it. */
function pick(name, item) {
  const label = document.createElement('label');
  const box = document.createElement('input');
  Object.assign(box, { type: 'checkbox', name, value: item.dataset.aaguid });
  const picture = item.querySelector('img');
  const model = item.querySelector('bdi').textContent;
  label.append(box, ' ', ...(picture ? [document.importNode(picture), ' '] : []), model);
  return label;
}

function wire(field) {
  const picks = field.closest('fieldset').querySelector('.picks');
  let timer;
  let asking;
  // What is looked for is not sent: the list below the field answers already.
  field.removeAttribute('name');
  const search = async () => {
    asking?.abort();
    asking = new AbortController();
    const query = new URLSearchParams({ find: field.value }).toString();
    const ask = { headers: { accept: 'text/html' }, signal: asking.signal };
    const answer = await fetch(`${MODELS}?${query}`, ask).catch(() => undefined);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const ticked = [...picks.querySelectorAll('label:has(:checked)')];
    const known = new Set(ticked.map((label) => label.querySelector('input').value));
    const items = [...page.querySelectorAll('#found [data-aaguid]')].filter(
      (item) => !known.has(item.dataset.aaguid),
    );
    picks.replaceChildren(...ticked, ...items.map((item) => pick(field.dataset.pick, item)));
  };
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(search, WAIT_MS);
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault();
  });
  field.closest('.find').querySelector('button').hidden = true;
}

for (const field of document.querySelectorAll('[data-pick]')) wire(field);
