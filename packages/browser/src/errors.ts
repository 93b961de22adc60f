import type { ErrorDetails, ErrorKind, UnknownCredential } from './types.js';

/** The error with which all calls of the SDK reject. `kind` is for code; `message` is a sentence for the user. */
export class ServiceFidoError extends Error {
  override readonly name = 'ServiceFidoError';
  readonly kind: ErrorKind;
  declare readonly errorCode?: string;
  declare readonly reason?: string;
  declare readonly status?: number;
  declare readonly requestId?: string;
  declare readonly retryAfter?: number;
  declare readonly domains?: string[];
  declare readonly unknownCredential?: UnknownCredential;

  constructor(kind: ErrorKind, { cause, ...details }: ErrorDetails = {}, message = MESSAGES[kind]) {
    super(message, { cause });
    this.kind = kind;
    Object.assign(this, details);
  }
}

const MESSAGES: Record<ErrorKind, string> = {
  cancelled: 'The prompt was closed or the browser refused the request.',
  timeout: 'The prompt was not answered in time.',
  aborted: 'The call was stopped.',
  already_registered: 'This authenticator is already registered.',
  bad_domain: 'This page may not use keys of that domain.',
  insecure: 'Keys need HTTPS: this page was opened over plain HTTP.',
  embedded:
    'The page that embeds this one does not permit keys here: the frame lacks allow="publickey-credentials-get; publickey-credentials-create".',
  unsupported: 'This browser or authenticator cannot do what was asked.',
  busy: 'Another request of this page is waiting for an authenticator.',
  network: 'The server cannot be reached.',
  expired: 'The attempt took too long. Please try again.',
  server: 'The server refused the request.',
};

interface Refusal {
  errorCode?: string;
  errorMessage?: string;
  reason?: string;
  requestId?: string;
  domains?: string[];
  unknownCredential?: UnknownCredential;
}

/** Reasons of E0024R in which a new ceremony does not help: mistakes of the application or of a proxy. */
const MISTAKES: ReadonlySet<string | undefined> = new Set([
  'proxy.protocol',
  'session.otherKind',
  'session.otherRelyingParty',
  'session.keyMissing',
]);

/** Returns the error for an answer that refuses a call. */
export function errorOfAnswer({ status, headers }: Response, answer: Refusal): ServiceFidoError {
  const { errorCode, errorMessage, reason, domains, unknownCredential } = answer;
  const requestId = answer.requestId ?? headers.get('X-Request-Id');
  const retryAfter = Number(headers.get('Retry-After'));
  return new ServiceFidoError(
    errorCode === 'E0024R' && !MISTAKES.has(reason) ? 'expired' : 'server',
    {
      status,
      ...(errorCode && { errorCode }),
      ...(reason && { reason }),
      ...(domains && { domains }),
      ...(unknownCredential && { unknownCredential }),
      ...(requestId && { requestId }),
      ...(retryAfter > 0 && { retryAfter }),
    },
    errorMessage,
  );
}
