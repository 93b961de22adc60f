import { createClient } from '/sdk/servicefido.js';
import { element, notice } from '/static/js/dom.js';
import { buttonsOff } from '/static/js/people/buttons.js';
import { wordsOf } from '/static/js/people/refusal.js';

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

/** Shows why a call was refused. */
export const failed = (error) => say(...wordsOf(error));

/** Runs a step while the buttons of the page are off; a refusal switches them on again, and calls `after`. */
export async function run(root, step, after) {
  const buttonsOn = buttonsOff(root);
  try {
    await step();
  } catch (error) {
    failed(error);
    buttonsOn();
    after?.();
  }
}
