/** ServiceFido browser SDK: passkeys and security keys in two calls. No dependencies, one file. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type {
  AuthenticateOptions,
  AuthenticationAnswer,
  AuthenticationJSON,
  Client,
  ClientOptions,
  ErrorDetails,
  ErrorKind,
  RegisterOptions,
  RegistrationAnswer,
  RegistrationJSON,
} from './types.js';

export type * from './types.js';

/** The one error this SDK throws. `kind` is for code; `message` is a sentence for people. */
export class ServiceFidoError extends Error {
  override readonly name = 'ServiceFidoError';
  readonly kind: ErrorKind;
  declare readonly errorCode?: string;
  declare readonly status?: number;
  declare readonly requestId?: string;
  declare readonly retryAfter?: number;
  declare readonly domains?: string[];

  constructor(kind: ErrorKind, { cause, ...details }: ErrorDetails = {}, message = SENTENCE[kind]) {
    super(message, { cause });
    this.kind = kind;
    Object.assign(this, details);
  }
}

const SENTENCE: Record<ErrorKind, string> = {
  cancelled: 'The prompt was closed or the browser refused the request.',
  timeout: 'The prompt was not answered in time.',
  aborted: 'The call was stopped.',
  already_registered: 'This authenticator is registered already.',
  bad_domain: 'This page may not use keys of that domain.',
  unsupported: 'This browser or authenticator cannot do what was asked.',
  busy: 'Another request of this page is waiting for an authenticator.',
  network: 'The server cannot be reached.',
  expired: 'The attempt took too long. Please try again.',
  server: 'The server refused the request.',
};

/** What the browser's exceptions mean (L3 §5.1.3, §5.1.4; WebIDL's names). */
const KIND_OF_EXCEPTION: Record<string, ErrorKind> = {
  NotAllowedError: 'cancelled',
  AbortError: 'aborted',
  InvalidStateError: 'already_registered',
  SecurityError: 'bad_domain',
  NotSupportedError: 'unsupported',
  ConstraintError: 'unsupported',
  OperationError: 'busy',
};

/** True where this page may use WebAuthn at all: a browser that has it, in a secure context. */
export function isSupported(): boolean {
  return typeof PublicKeyCredential === 'function' && 'credentials' in navigator;
}

/** True where passkeys can be offered in the autofill list of a form field (L3 §5.1.7). */
export async function isAutofillAvailable(): Promise<boolean> {
  return (await capabilities())['conditionalGet'] === true;
}

/** What this browser can do, under the names of L3 §5.8.7; older browsers are asked one by one. */
export async function capabilities(): Promise<Record<string, boolean>> {
  if (!isSupported()) return {};
  const api: Partial<typeof PublicKeyCredential> = PublicKeyCredential;
  if (api.getClientCapabilities) {
    return (await api.getClientCapabilities()) as Record<string, boolean>;
  }
  const [conditionalGet, userVerifyingPlatformAuthenticator] = await Promise.all([
    api.isConditionalMediationAvailable?.() ?? false,
    api.isUserVerifyingPlatformAuthenticatorAvailable?.() ?? false,
  ]);
  return { conditionalGet, userVerifyingPlatformAuthenticator };
}

/** Makes a client of one server. It runs one call at a time: a newer call aborts the former. */
export function createClient(options: ClientOptions = {}): Client {
  const post = poster(options);
  let pending: AbortController | undefined;

  /** Takes the place before anything is awaited: of two quick clicks, only the last one goes on. */
  async function alone<T>(
    outer: AbortSignal | undefined,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    pending?.abort();
    const controller = (pending = new AbortController());
    const abort = () => controller.abort();
    if (outer?.aborted) abort();
    outer?.addEventListener('abort', abort);
    try {
      if (!isSupported()) throw new ServiceFidoError('unsupported');
      return await run(controller.signal);
    } catch (cause) {
      // Any value may be thrown as an abort reason, so the signal is asked and not the exception.
      throw controller.signal.aborted ? new ServiceFidoError('aborted', { cause }) : cause;
    } finally {
      outer?.removeEventListener('abort', abort);
      if (pending === controller) pending = undefined;
    }
  }

  return {
    register: ({ signal: outer, token, ...body }: RegisterOptions) =>
      alone(outer, async (signal) => {
        const begun = await post<Begun<PublicKeyCredentialCreationOptionsJSON>>('register/begin', {
          body,
          signal,
          token,
        });
        const publicKey = creationOptions(begun);
        const credential = await prompt(begun.timeout, () =>
          navigator.credentials.create({ publicKey, signal }),
        );
        const result = toRegistrationJSON(credential);
        const answer = await post<RegistrationAnswer>('register/complete', {
          body: result,
          signal,
        });
        return warned(answer, begun);
      }),

    authenticate: ({ signal: outer, ...body }: AuthenticateOptions) =>
      alone(outer, async (signal) => {
        const begun = await post<Begun<PublicKeyCredentialRequestOptionsJSON>>(
          'authenticate/begin',
          {
            body,
            signal,
          },
        );
        const publicKey = requestOptions(begun);
        const credential = await prompt(begun.timeout, () =>
          navigator.credentials.get({ publicKey, signal }),
        );
        const result = toAuthenticationJSON(credential);
        const answer = await post<AuthenticationAnswer>('authenticate/complete', {
          body: result,
          signal,
        });
        return warned(answer, begun);
      }),

    abort: () => pending?.abort(),
  };
}

type Begun<Options> = Options & { warnings?: string[] };

/** What the begin call warned of belongs to the answer: whoever calls sees no other. */
const warned = <Answer extends object>(answer: Answer, { warnings }: Begun<object>): Answer =>
  warnings ? { ...answer, warnings } : answer;

interface Call {
  body: object;
  signal: AbortSignal;
  token?: string | undefined;
}

function poster({ baseUrl, relyingParty, fetch: transport = fetch }: ClientOptions) {
  const base = (baseUrl ?? new URL(import.meta.url).origin).replace(/\/+$/, '');

  return async function post<T>(path: string, { body, signal, token }: Call): Promise<T> {
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (relyingParty) headers['X-ServiceFido-RelyingParty'] = relyingParty;
    if (token) headers['Authorization'] = `Bearer ${token}`;
    let response: Response;
    try {
      response = await transport(`${base}/fidoapi/${path}`, {
        method: 'POST',
        // The cookie that links begin and complete travels across origins too.
        credentials: 'include',
        headers,
        body: JSON.stringify(body),
        signal,
      });
    } catch (cause) {
      throw new ServiceFidoError('network', { cause });
    }
    // A proxy in between may answer with something that is not JSON.
    const answer = await response.json().catch(() => ({}));
    if (!response.ok || answer.status !== 'ok') throw refusal(response, answer);
    return answer as T;
  };
}

interface Refusal {
  errorCode?: string;
  errorMessage?: string;
  requestId?: string;
  domains?: string[];
}

function refusal({ status, headers }: Response, answer: Refusal): ServiceFidoError {
  const { errorCode, errorMessage, domains } = answer;
  const requestId = answer.requestId ?? headers.get('X-Request-Id');
  const retryAfter = Number(headers.get('Retry-After'));
  return new ServiceFidoError(
    errorCode === 'E0024R' ? 'expired' : 'server',
    {
      status,
      ...(errorCode && { errorCode }),
      ...(domains && { domains }),
      ...(requestId && { requestId }),
      ...(retryAfter > 0 && { retryAfter }),
    },
    errorMessage,
  );
}

/** Opens the browser's prompt. Browsers report a timeout as a refusal, so the clock tells them apart. */
async function prompt(
  timeout: number | undefined,
  open: () => Promise<Credential | null>,
): Promise<PublicKeyCredential> {
  const opened = performance.now();
  try {
    const credential = await open();
    if (credential) return credential as PublicKeyCredential;
  } catch (cause) {
    const kind = KIND_OF_EXCEPTION[(cause as Error | undefined)?.name ?? ''] ?? 'unsupported';
    const late = timeout !== undefined && performance.now() - opened >= timeout;
    throw new ServiceFidoError(kind === 'cancelled' && late ? 'timeout' : kind, { cause });
  }
  throw new ServiceFidoError('cancelled');
}

/** Reads creation options from JSON (L3 §5.1.9), by hand where the browser cannot. */
function creationOptions(json: PublicKeyCredentialCreationOptionsJSON) {
  const api: Partial<typeof PublicKeyCredential> = PublicKeyCredential;
  if (api.parseCreationOptionsFromJSON) return api.parseCreationOptionsFromJSON(json);
  const plain: Plain<PublicKeyCredentialCreationOptionsJSON> = json;
  return {
    ...plain,
    challenge: decode(plain.challenge),
    user: { ...plain.user, id: decode(plain.user.id) },
    excludeCredentials: plain.excludeCredentials?.map(descriptor),
  } as PublicKeyCredentialCreationOptions;
}

/** Reads request options from JSON (L3 §5.1.10), by hand where the browser cannot. */
function requestOptions(json: PublicKeyCredentialRequestOptionsJSON) {
  const api: Partial<typeof PublicKeyCredential> = PublicKeyCredential;
  if (api.parseRequestOptionsFromJSON) return api.parseRequestOptionsFromJSON(json);
  const plain: Plain<PublicKeyCredentialRequestOptionsJSON> = json;
  return {
    ...plain,
    challenge: decode(plain.challenge),
    allowCredentials: plain.allowCredentials?.map(descriptor),
  } as PublicKeyCredentialRequestOptions;
}

/** Extension inputs pass as they are: those with bytes came after the browsers' own JSON reader. */
type Plain<T> = Omit<T, 'extensions'>;

function descriptor(json: PublicKeyCredentialDescriptorJSON) {
  return { ...json, id: decode(json.id) };
}

/** The body of `register/complete` for a credential that `navigator.credentials.create()` made. */
export function toRegistrationJSON(credential: PublicKeyCredential): RegistrationJSON {
  const response = credential.response as AuthenticatorAttestationResponse;
  return envelope(credential, {
    clientDataJSON: encode(response.clientDataJSON),
    attestationObject: encode(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  }) satisfies RegistrationResponseJSON;
}

/** The body of `authenticate/complete` for an assertion of `navigator.credentials.get()`. */
export function toAuthenticationJSON(credential: PublicKeyCredential): AuthenticationJSON {
  const response = credential.response as AuthenticatorAssertionResponse;
  return envelope(credential, {
    clientDataJSON: encode(response.clientDataJSON),
    authenticatorData: encode(response.authenticatorData),
    signature: encode(response.signature),
    ...(response.userHandle && { userHandle: encode(response.userHandle) }),
  }) satisfies AuthenticationResponseJSON;
}

/**
 * Written by hand although browsers have `toJSON()`: password managers that replace the credential
 * make it throw, and it would send the secrets of the `prf` and `largeBlob` extensions.
 */
function envelope<Response>(credential: PublicKeyCredential, response: Response) {
  const { prf, largeBlob, ...extensions } = credential.getClientExtensionResults();
  return {
    type: 'public-key' as const,
    id: credential.id,
    rawId: encode(credential.rawId),
    ...(credential.authenticatorAttachment && {
      authenticatorAttachment: credential.authenticatorAttachment as AuthenticatorAttachment,
    }),
    response,
    clientExtensionResults: {
      ...extensions,
      ...(prf?.enabled !== undefined && { prf: { enabled: prf.enabled } }),
      ...(largeBlob?.supported !== undefined && { largeBlob: { supported: largeBlob.supported } }),
    },
  };
}

function encode(buffer: ArrayBuffer): string {
  const bytes = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('');
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
}
