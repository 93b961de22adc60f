import { toAuthenticationJSON, toRegistrationJSON } from '/sdk/servicefido.js';
import { notice } from '/static/js/dom.js';
import { isReachable, unreachableNotice } from '/static/js/sent-form.js';
import { message } from '/static/js/texts.js';

/** Returns the bytes of Base64URL without padding. */
function decode(text) {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

const descriptor = (one) => ({ ...one, id: decode(one.id) });

async function answerOf({ create, get }) {
  if (create) {
    const options = JSON.parse(create);
    const publicKey = {
      ...options,
      challenge: decode(options.challenge),
      user: { ...options.user, id: decode(options.user.id) },
      excludeCredentials: options.excludeCredentials.map(descriptor),
    };
    return toRegistrationJSON(await navigator.credentials.create({ publicKey }));
  }
  const options = JSON.parse(get);
  const publicKey = {
    ...options,
    challenge: decode(options.challenge),
    allowCredentials: options.allowCredentials.map(descriptor),
  };
  return toAuthenticationJSON(await navigator.credentials.get({ publicKey }));
}

const link = document.querySelector('form.setup-link');

/** Removes the token of a setup link from the address at once, so that no history and no screenshot contains it. */
function takeToken() {
  const token = location.hash.slice(1);
  if (!link || token === '') return;
  history.replaceState(null, '', location.pathname);
  link.elements.token.value = token;
  link.submit();
}

takeToken();
// Another link in the same tab changes only the fragment.
addEventListener('hashchange', takeToken);

const WHY = { InvalidStateError: 'held', SecurityError: 'address' };

for (const form of document.querySelectorAll('form.key-form')) {
  form.hidden = window.PublicKeyCredential === undefined;
  const outcome = form.querySelector('.key-outcome');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    button.setAttribute('aria-busy', 'true');
    outcome.replaceChildren();
    try {
      form.elements.response.value = JSON.stringify(await answerOf(form.dataset));
      if (await isReachable()) return form.submit();
      outcome.replaceChildren(unreachableNotice());
    } catch (error) {
      const [title, text] = message(WHY[error.name] ?? 'usual');
      outcome.replaceChildren(notice('bad', 'cross', title, ` ${text}`));
    }
    button.removeAttribute('aria-busy');
  });
}
