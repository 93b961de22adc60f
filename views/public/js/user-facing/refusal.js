import { message, text } from '/static/js/texts.js';

/** The notice about a failure, for the user of the page: its kind, icon, title and lines. */
export function wordsOf(error) {
  const advice = message(`advice.${error.kind}`);
  if (advice) return ['warn', 'warning', ...advice];
  const { message: reason, requestId } = error;
  const lines = refusal(error) ?? [text('failed'), reason];
  return ['bad', 'cross', ...lines, ...(requestId ? [text('request', { id: requestId })] : [])];
}

/** Words for the reason if it has some, else for the code. Only the refusal of a user without a usable key has no code. */
function refusal({ errorCode, reason, status }) {
  const code = errorCode ?? (status === 403 ? 'noKey' : '');
  return message(`refused.${reason}`) ?? message(`refused.${code}`);
}
