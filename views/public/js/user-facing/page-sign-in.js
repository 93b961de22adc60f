import { createClient } from '/sdk/servicefido.js';
import { element, notice } from '/static/js/dom.js';
import { buttonsOff } from '/static/js/user-facing/buttons.js';
import { wordsOf } from '/static/js/user-facing/refusal.js';

const COMPLETION = '/fidoapi/authenticate/complete';

/** Ends a ceremony at this page; all other calls are the server's usual ones. */
const transport = (url, init) =>
  fetch(url.endsWith(COMPLETION) ? location.pathname + COMPLETION : url, init);

/** The SDK for a sign-in on a page of this server. */
export const signInClient = ({ relyingParty }) =>
  createClient({ relyingParty, baseUrl: location.origin, fetch: transport });

const say = (kind, iconName, title, ...rest) =>
  document
    .getElementById('outcome')
    .replaceChildren(notice(kind, iconName, title, ...rest.map((line) => element('p', {}, line))));

/** Whether the sign-in of the page can still be completed. */
const isOpen = () =>
  fetch(location.href).then(
    ({ status }) => status !== 408,
    () => true,
  );

/**
 * Shows why a call was refused. If the whole sign-in has ended, no further attempt helps: then the server's page says
 * what does. The reason of the refusal does not say so for certain, since Chromium repeats a call that 408 answers.
 */
export async function failed(error) {
  if (error.errorCode === 'E0024R' && !(await isOpen())) location.reload();
  else say(...wordsOf(error));
}

/** Runs a step while the buttons of the page are off; a refusal switches them on again, and calls `after`. */
export async function run(root, step, after) {
  const buttonsOn = buttonsOff(root);
  try {
    await step();
  } catch (error) {
    await failed(error);
    buttonsOn();
    after?.();
  }
}
