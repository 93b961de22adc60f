import { unfold } from '/static/js/shell.js';

/** The page of a relying party: searches for rules and models. */
const WAIT_MS = 150;
const MODELS = '/userapi/aaguid';

/** A checkbox for a model from the list of the page of models. */
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
  // The search text is not sent with the form: it only filters the list below.
  field.removeAttribute('name');
  const search = async () => {
    asking?.abort();
    asking = new AbortController();
    // The address answers a script with JSON unless it asks for the page.
    const query = new URLSearchParams({ find: field.value, format: 'html' }).toString();
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

/** Shows the rules whose label or explanation has all words; without this script the user opens the sections. */
function findRules(field) {
  const card = field.closest('section');
  const sections = [...card.querySelectorAll('.rules')];
  const nothing = card.querySelector('[data-no-rule]');
  field.closest('label').hidden = false;
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const section of sections) {
      const rules = [...section.querySelectorAll('.policy-field')];
      for (const rule of rules) {
        const text = rule.textContent.toLowerCase();
        rule.hidden = !words.every((word) => text.includes(word));
      }
      const shown = rules.filter((rule) => !rule.hidden).length;
      section.hidden = shown === 0;
      section.open = words.length > 0 && shown > 0;
      found += shown;
    }
    nothing.hidden = found > 0;
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault();
  });
}

for (const field of document.querySelectorAll('[data-find-rule]')) findRules(field);

for (const link of document.querySelectorAll('[role="alert"] a[href^="#field-"]')) {
  link.addEventListener('click', () => unfold(document.querySelector(link.hash)));
}
