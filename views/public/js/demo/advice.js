import { text } from '../texts.js';

/** Nobody closes a prompt this quickly: the browser refused without a prompt. */
const AT_ONCE_MS = 300;

const VERIFICATION = text('advice.verification');

/**
 * Browsers report nearly every failed prompt as `NotAllowedError`, so that pages learn nothing about the user's
 * keys (W3C WebAuthn L3 §14.5). The request and the elapsed time tell the cases apart.
 */
function refused({ userVerification, authenticatorAttachment, isSignIn, elapsed }) {
  const atOnce = elapsed < AT_ONCE_MS;
  if (userVerification === 'required') {
    return atOnce
      ? [text('advice.none'), `${VERIFICATION} ${text('advice.nobodyAsked')}`]
      : [text('advice.closedOr'), `${VERIFICATION} ${text('advice.unchanged')}`];
  }
  if (!atOnce) return [text('advice.closed'), text('advice.again')];
  const why = isSignIn
    ? text('advice.notAtHand')
    : authenticatorAttachment === 'platform'
      ? text('advice.noLock')
      : text('advice.noneCan');
  return [text('advice.refused'), why];
}

/** By the browser's exception if it says more than the SDK's `kind` (W3C WebAuthn L3 §5.1.3, §6.3.2). */
const BY_EXCEPTION = {
  ConstraintError: [text('advice.constraint'), text('advice.less')],
  NotSupportedError: [text('advice.algorithms'), text('advice.more')],
  NotReadableError: [text('advice.manager'), text('advice.managerDo')],
};

/** By the SDK's `kind`. */
const BY_KIND = {
  timeout: [text('advice.late'), text('advice.lateDo')],
  aborted: [text('advice.stopped'), text('advice.unchanged')],
  already_registered: [text('advice.registered'), text('advice.registeredDo')],
  bad_domain: [text('advice.domain'), text('advice.domainDo')],
  insecure: [text('advice.insecure'), text('advice.insecureDo')],
  unsupported: [text('advice.unsupported'), text('advice.unsupportedDo')],
  busy: [text('advice.busy'), text('advice.busyDo')],
  network: [text('advice.network'), text('advice.networkDo')],
  expired: [text('advice.expired'), text('advice.expiredDo')],
};

/** What to do about a refusal by the server. The page shows the server's sentence above. */
const BY_CODE = {
  E0043R: text('advice.limited'),
  E0042R: text('advice.helpDesk'),
  E0025R: text('advice.party'),
  E0040R: text('advice.tooMany'),
};

/**
 * @param error of the SDK
 * @param asked the request to the browser, and the milliseconds since then
 * @param sentence of the refusal in the page's language; by default the server's own
 * @returns title and advice, and the language of the title if it is not the page's
 */
export function adviceOf(error, asked, sentence) {
  if (error.kind === 'cancelled' && asked) return refused(asked);
  const known = BY_EXCEPTION[error.cause?.name] ?? BY_KIND[error.kind];
  if (known) return known;
  const code = error.errorCode ? ` (${error.errorCode})` : '';
  const byStatus = error.status === 403 && !error.errorCode ? text('advice.first') : '';
  const title = `${sentence ?? error.message}${code}`;
  return [title, BY_CODE[error.errorCode] ?? byStatus, sentence ? undefined : 'en'];
}
