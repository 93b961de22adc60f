import { notice } from '/static/js/dom.js';
import { message } from '/static/js/texts.js';

/**
 * A browser that cannot send a form shows its own error page, and the input is lost. So this script first asks whether
 * the server answers; if not, the page says so and keeps the form. A form whose answer is lost afterwards may have had
 * its effect: the server recognises a second submit.
 */
const PATIENCE_MS = 5000;
/** A proxy answers these if its server does not; any other answer proves that the server is there. */
const FROM_PROXY = [502, 503, 504];
/** A second click within this time does not send a form again; some forms would create a second secret. */
const TWICE_MS = 2000;

const asking = new WeakSet();
const answered = new WeakSet();

export async function isReachable() {
  const request = { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) };
  const answer = await fetch('/health/live', request).catch(() => undefined);
  return answer !== undefined && !FROM_PROXY.includes(answer.status);
}

export function unreachableNotice() {
  const [title, rest] = message('unreachable');
  const said = notice('bad', 'cross', title, ` ${rest}`);
  said.classList.add('unreachable');
  said.setAttribute('role', 'alert');
  return said;
}

async function sendIfReachable(form, submitter) {
  asking.add(form);
  const isSent = await isReachable();
  asking.delete(form);
  const shown = form.querySelector('.unreachable');
  if (isSent) {
    shown?.remove();
    answered.add(form);
    // The same event once more: this time the browser sends the form.
    form.requestSubmit(submitter?.form === form ? submitter : null);
    answered.delete(form);
    return;
  }
  delete form.dataset.sentAt;
  const said = unreachableNotice();
  if (shown) shown.replaceWith(said);
  else (submitter?.parentElement ?? form).append(said);
}

/** A form of a sign-in may lead back to another site. */
const isOurs = (form) =>
  new URL(form.getAttribute('action') ?? '', location.href).origin === location.origin;

document.addEventListener('submit', (event) => {
  const { target: form, submitter, timeStamp, defaultPrevented } = event;
  if (defaultPrevented || form.getAttribute('method') !== 'post' || answered.has(form)) return;
  const { sentAt } = form.dataset;
  const isTwice = asking.has(form) || (sentAt !== undefined && timeStamp - sentAt < TWICE_MS);
  if (isTwice || isOurs(form)) event.preventDefault();
  if (isTwice) return;
  form.dataset.sentAt = timeStamp;
  if (isOurs(form)) void sendIfReachable(form, submitter);
});
