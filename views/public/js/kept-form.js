import { element, icon } from '/static/js/dom.js';
import { text } from '/static/js/texts.js';

/**
 * A form that is sent after its session has ended has no effect. This script keeps it in the tab, and offers it again
 * to the same account after the sign-in; only its button sends it. Without this script the page after the sign-in says
 * that nothing was done.
 */
const KEY = 'servicefido-form';
const LONGEST = 200;
const main = document.querySelector('main');
/** The signed-in account of this page; `undefined` for visitors, and on the sign-in page. */
const { account } = document.body.dataset;

const kept = () => JSON.parse(sessionStorage.getItem(KEY));
const forget = () => sessionStorage.removeItem(KEY);

function keep(entry) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(entry));
  } catch {
    // The form is larger than the storage of a tab.
    forget();
  }
}

/** Forms with a password, a file, a setup token or the answer of a key are never kept, nor is a sign-out. */
const isKept = (form) =>
  !form.matches('.key-form, .setup-link, [action^="/console/sign-"]') &&
  ![...form.elements].some(
    ({ type, name }) => ['password', 'file'].includes(type) || name === 'token',
  );

const plain = (node) => node?.textContent.trim().replaceAll(/\s+/g, ' ') ?? '';

/** The label of a field: its own text, else the name in it, else everything. */
function labelOf(field) {
  const [label] = field.labels ?? [];
  const words = [...(label?.childNodes ?? [])].find((node) => node.nodeType === 3 && plain(node));
  const own = plain(words) || plain(label?.querySelector('bdi')) || plain(label);
  return field.dataset.label || field.ariaLabel || own || field.name;
}

const isTick = ({ type }) => ['checkbox', 'radio'].includes(type);
const legendOf = (field) => plain(field.closest('fieldset')?.querySelector(':scope > legend'));

/** The name of a field as the form shows it: within a group, after the name of the group. */
function nameOf(field) {
  const legend = legendOf(field);
  if (!legend) return labelOf(field);
  return isTick(field) ? legend : `${legend}, ${labelOf(field)}`;
}

/** The state of a box that was ticked or cleared: a mark, and in a group also the label. */
function tickedIn(field) {
  const mark = field.checked ? '✓' : '–';
  return legendOf(field) ? `${mark} ${labelOf(field)}` : mark;
}

/**
 * The input of a field, in words; `undefined` if it was not changed. A hidden field counts if it has a label, and a
 * required select counts even with the choice that the page had made.
 */
function enteredIn(field) {
  const { type, value, checked, options, required } = field;
  if (type === 'hidden' && field.dataset.label) return value.slice(0, LONGEST);
  if (type === 'hidden' || type === 'submit' || !field.name) return undefined;
  if (isTick(field)) return checked === field.defaultChecked ? undefined : tickedIn(field);
  if (!options) return value === field.defaultValue ? undefined : value.slice(0, LONGEST);
  const before = [...options].find((option) => option.defaultSelected) ?? options[0];
  return before?.selected && !required ? undefined : plain(field.selectedOptions[0]);
}

/** Everything needed to show a form and to send it again. A field may have the name of a property of the form. */
function entryOf(form, submitter) {
  const action = submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? '';
  const { pathname, search } = new URL(action, location.href);
  return {
    account,
    action: pathname + search,
    fields: [...new FormData(form, submitter)].filter(
      ([name, value]) => name !== 'formToken' && typeof value === 'string',
    ),
    deed: plain(submitter),
    title: plain(document.querySelector('h1')),
    page: location.pathname + location.search,
    entered: [...form.elements]
      .map((field) => [nameOf(field), enteredIn(field)])
      .filter(([, value]) => value !== undefined),
  };
}

/** The offer of this page: its form, its notice, and what was kept. */
let offered;

function offer(entry) {
  const token = document.querySelector('input[name="formToken"]')?.value ?? '';
  const discard = element('button', { type: 'button', class: 'secondary' }, text('kept.discard'));
  const form = element(
    'form',
    { method: 'post', action: entry.action, class: 'kept-form' },
    ...[...entry.fields, ['formToken', token]].map(([name, value]) =>
      element('input', { type: 'hidden', name, value }),
    ),
    element('button', { type: 'submit' }, text('kept.do')),
    discard,
  );
  const what = element(
    'p',
    {},
    element('strong', {}, text('kept.ended')),
    ` ${entry.deed} (`,
    element('a', { href: entry.page }, entry.title),
    ')',
  );
  const entered = entry.entered.map(([name, value]) =>
    element('li', {}, element('b', {}, name), `: ${value}`),
  );
  const list = element('ul', { class: 'changes' }, ...entered);
  const body = element('div', {}, what, ...(entered.length > 0 ? [list] : []), form);
  const box = element(
    'div',
    { class: 'notice warn', role: 'status', tabindex: '-1' },
    icon('warning'),
    body,
  );
  discard.addEventListener('click', () => {
    forget();
    box.remove();
  });
  document.getElementById('undone')?.remove();
  main.prepend(box);
  box.focus();
  offered = { form, box, entry };
}

/** Handles the form that was sent last: this page is the answer to it, or a later page. */
function settle(entry) {
  const isUndone = entry.isUndone || 'undone' in main.dataset;
  if (!isUndone || (account !== undefined && account !== entry.account)) {
    forget();
    return;
  }
  const undone = { ...entry, isUndone };
  keep(undone);
  if (account !== undefined) offer(undone);
  else document.getElementById('form-kept')?.removeAttribute('hidden');
}

const last = kept();
if (last) settle(last);

window.addEventListener('submit', ({ target: form, submitter, defaultPrevented }) => {
  const isPost = form.getAttribute('method')?.toLowerCase() === 'post';
  if (defaultPrevented || !isPost || account === undefined) return;
  if (form === offered?.form) keep({ ...offered.entry, isUndone: false });
  else if (isKept(form)) keep(entryOf(form, submitter));
  else forget();
});

/** A page from the browser's back/forward cache does not show an offer that was used meanwhile. */
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted && kept() === null) offered?.box.remove();
});
