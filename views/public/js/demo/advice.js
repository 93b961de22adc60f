/** Nobody closes a prompt as quickly: the browser refused before it asked anybody. */
const AT_ONCE_MS = 300;

const VERIFICATION =
  'The server demanded a PIN, a finger or a face. Give the security key a PIN in the settings of the system, switch on the screen lock of the device, or take another one.';

/**
 * Browsers call nearly every end of a prompt `NotAllowedError`, so that pages learn nothing of people's
 * keys (W3C WebAuthn L3 §14.5). What was asked, and how long the answer took, tell the cases apart.
 */
function refused({ userVerification, authenticatorAttachment, isSignIn, elapsed }) {
  const atOnce = elapsed < AT_ONCE_MS;
  if (userVerification === 'required') {
    return atOnce
      ? [
          'No key here can verify its user',
          `${VERIFICATION} Nobody was asked, and nothing was changed.`,
        ]
      : [
          'The prompt was closed, or the key could not verify its user',
          `${VERIFICATION} Nothing was changed.`,
        ];
  }
  if (!atOnce)
    return ['The prompt was closed', 'Nothing was changed. Try again when you are ready.'];
  const why = isSignIn
    ? 'None of the keys that may sign in is at hand. Plug it in, or take the device that holds it.'
    : authenticatorAttachment === 'platform'
      ? 'This device cannot hold a key: it needs a screen lock, or Bluetooth for a phone.'
      : 'No authenticator here can do what was asked: change the options, or take another device. The page must also be in front.';
  return ['The browser refused without asking anybody', why];
}

/** By the browser's exception where it tells more than the SDK's `kind` (W3C WebAuthn L3 §5.1.3, §6.3.2). */
const BY_EXCEPTION = {
  ConstraintError: [
    'This authenticator cannot verify its user, or cannot keep a passkey',
    'Ask for less in the options, or take another authenticator.',
  ],
  NotSupportedError: [
    'This authenticator knows none of the algorithms',
    'Tick more algorithms in the options, or take another authenticator.',
  ],
  NotReadableError: [
    'The device’s password manager did not answer',
    'Open its settings, see that it may keep passkeys, and try again.',
  ],
};

/** By the SDK's `kind`. */
const BY_KIND = {
  timeout: [
    'The prompt was not answered in time',
    'Start again and answer within the time that the server gives.',
  ],
  aborted: ['The call was stopped.', 'Nothing was changed.'],
  already_registered: [
    'This authenticator is registered already.',
    'Sign in with it, or choose another authenticator.',
  ],
  bad_domain: [
    'This page may not use keys of that domain',
    'Open it under the domain of the relying party, or list this origin among its related origins. An IP address will not do.',
  ],
  unsupported: [
    'This browser cannot do what was asked',
    'Change the options, or use another browser or authenticator.',
  ],
  busy: ['Another prompt of this page is open', 'Finish or close it first.'],
  network: ['The server cannot be reached', 'Check that it is running, then try again.'],
  expired: [
    'The attempt took too long',
    'Start again: a challenge can be used once, and only for a short time.',
  ],
};

/** What to do about a refusal of the server, whose own sentence stands above. */
const BY_CODE = {
  E0043R:
    'Who may register here is limited. Sign in with a key first, bring a ticket (Options), or follow an invitation.',
  E0042R: 'This is for the help desk: enter an account of the administration.',
  E0025R: 'Name one of these domains as relying party (Options).',
  E0040R: 'Too many tries. Wait a little.',
};

/**
 * @param error of the SDK
 * @param asked what the browser was asked, and for how many milliseconds
 * @returns title and advice
 */
export function adviceOf(error, asked) {
  if (error.kind === 'cancelled' && asked) return refused(asked);
  const known = BY_EXCEPTION[error.cause?.name] ?? BY_KIND[error.kind];
  if (known) return known;
  const code = error.errorCode ? ` (${error.errorCode})` : '';
  const byStatus = error.status === 403 ? 'Register a key for this name first.' : '';
  return [`${error.message}${code}`, BY_CODE[error.errorCode] ?? byStatus];
}
