import { message, text } from '/static/js/texts.js';

/** How a failure is said to whoever uses the page: kind and icon of the notice, its title and its lines. */
export function wordsOf(error) {
  const advice = message(`advice.${error.kind}`);
  if (advice) return ['warn', 'warning', ...advice];
  return ['bad', 'cross', ...(refusal(error) ?? [text('failed'), error.message])];
}

/** Only that no key can sign in has no code. */
function refusal({ errorCode, status }) {
  return message(`refused.${errorCode ?? (status === 403 ? 'noKey' : '')}`);
}
