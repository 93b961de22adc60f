import { element, notice, renew } from '/static/js/dom.js';
import { localiseTimes } from '/static/js/shell.js';
import { message } from '/static/js/texts.js';

const EVERY_MS = 10_000;
const PATIENCE_MS = 5_000;
const content = document.getElementById('content');
const empty = element('div', { role: 'status' });
content.prepend(empty.cloneNode());

/** Updates the page, or says that no server answers any more. */
async function refresh() {
  if (document.hidden) return;
  try {
    const response = await fetch(location.href, {
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (!response.ok) throw new Error(response.statusText);
    const fresh = page.getElementById('content');
    fresh.prepend(empty.cloneNode());
    renew(content, fresh);
    localiseTimes(content);
  } catch {
    const [title, text] = message('gone');
    const outcome = content.firstElementChild;
    if (!outcome.hasChildNodes())
      outcome.replaceChildren(notice('bad', 'cross', title, ` ${text}`));
  }
}

setInterval(refresh, EVERY_MS);
document.addEventListener('visibilitychange', refresh);
