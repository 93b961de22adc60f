import { element, notice } from '/static/js/dom.js';
import { message } from '/static/js/texts.js';

const EVERY_MS = 1000;
const PATIENCE_MS = 5000;
/** The session has ended, or the job no longer exists. */
const OVER = [401, 404];
const list = document.getElementById('list');
const outcome = element('div', { role: 'status' });
list.before(outcome);

/** Says that the figures are old while no server answers. */
function tell(isAnswered) {
  if (isAnswered === !outcome.hasChildNodes()) return;
  const [title, text] = message('gone');
  outcome.replaceChildren(...(isAnswered ? [] : [notice('bad', 'cross', title, ` ${text}`)]));
}

/** Renews the figures of a job until it has ended. */
async function look() {
  // An address that answers JSON too must be asked for the page.
  const address = new URL(location.href);
  address.searchParams.set('format', 'html');
  const answer = await fetch(address, {
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => null);
  if (OVER.includes(answer?.status)) return location.reload();
  tell(answer?.ok === true);
  if (answer?.ok) {
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    // The job has ended: the page now has other parts, and maybe another script.
    if (!page.querySelector('#list[data-busy]')) return location.reload();
    for (const selector of ['progress', '[role="status"]', '.figures']) {
      list.querySelector(selector).replaceWith(page.querySelector(`#list ${selector}`));
    }
  }
  setTimeout(look, EVERY_MS);
}

setTimeout(look, EVERY_MS);
