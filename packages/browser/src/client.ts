import { offerPasskeysIn, beginWithRetries, promptUntilRenewal, waitFor } from './autofill.js';
import { capabilities, isAutofillAvailable } from './capabilities.js';
import { ServiceFidoError } from './errors.js';
import {
  creationOptions,
  requestOptions,
  toAuthenticationJSON,
  toRegistrationJSON,
} from './json.js';
import { exceptionName, prompt } from './prompt.js';
import { createPost } from './server.js';
import { signalAccount, signalUnknown } from './signals.js';
import { SingleFlight } from './single-flight.js';
import type {
  AuthenticateOptions,
  AuthenticationAnswer,
  Begun,
  Client,
  ClientOptions,
  ErrorKind,
  FormField,
  RegisterOptions,
  RegistrationAnswer,
  SignInOptions,
} from './types.js';

type CreationOptions = Begun<PublicKeyCredentialCreationOptionsJSON>;
type RequestOptions = Begun<PublicKeyCredentialRequestOptionsJSON>;

interface AuthenticationRequest {
  /** Body of the begin call. `token` becomes a header. */
  body: { token?: string | undefined; [member: string]: unknown };
  mediation?: CredentialMediationRequirement | undefined;
}

/** Timeout of an attempt without a prompt that a prompt may follow. A browser may leave it pending until then. */
const SILENT_TIMEOUT_MS = 10_000;
/** Share of a ceremony's lifetime that must be left for a prompt. */
const PROMPT_SHARE = 1 / 3;
/** When the answers with these creation options came: the options of a move are part of a sign-in's answer. */
const answeredAt = new WeakMap<object, number>();

interface CreationRequest {
  signal: AbortSignal;
  idempotencyKey?: string | undefined;
  mediation?: 'conditional' | undefined;
  /** If this prompt creates no key, a second prompt follows in the same ceremony. So the first is not reported. */
  hasFallback?: boolean;
}

/**
 * Creates a client of one server. It runs one call at a time: a new call aborts the pending one.
 *
 * @param options default: the server that this module was loaded from, and its default relying party
 */
export function createClient(options: ClientOptions = {}): Client {
  const post = createPost(options);
  const flight = new SingleFlight();
  /** Signals of the last answer. They take time if the browser must fetch the related origins of the RP ID first. */
  let signalling = Promise.resolve();

  /** If the prompt ends without a key, reports this for the server's figures, and does not wait for that call. */
  async function promptFor(
    call: 'register' | 'authenticate',
    begun: CreationOptions | RequestOptions,
    signal: AbortSignal,
    open: () => Promise<Credential | null>,
  ) {
    try {
      return await prompt(begun.timeout, open);
    } catch (error) {
      const body = {
        challenge: begun.challenge,
        error: exceptionName(error),
        ...ceremonyOf(begun),
      };
      if (!signal.aborted) post(`${call}/given-up`, { body, keepalive: true }).catch(() => {});
      throw error;
    }
  }

  async function register(
    { token, idempotencyKey, ...body }: RegisterOptions,
    signal: AbortSignal,
  ): Promise<RegistrationAnswer> {
    const begun = await post<CreationOptions>('register/begin', { body, signal, token });
    return createKey(begun, { ...body, signal, idempotencyKey });
  }

  async function createKey(
    begun: CreationOptions,
    { signal, idempotencyKey, mediation, hasFallback }: CreationRequest,
  ): Promise<RegistrationAnswer> {
    const promptUser = (signal: AbortSignal) => {
      const open = () =>
        navigator.credentials.create({
          publicKey: creationOptions(begun),
          signal,
          ...(mediation && { mediation }),
        });
      return hasFallback ? prompt(begun.timeout, open) : promptFor('register', begun, signal, open);
    };
    // The user does not see a conditional request and could not end it.
    const credential = mediation
      ? await promptUntilRenewal(begun.timeout, signal, promptUser)
      : await promptUser(signal);
    if (!credential) throw new ServiceFidoError('timeout');
    const result = { ...toRegistrationJSON(credential), ...ceremonyOf(begun) };
    const call = { body: result, signal, idempotencyKey };
    const answer = await post<RegistrationAnswer>('register/complete', call);
    signalling = signalAccount(answer.signals);
    return { ...answer, ...clientMembers(begun, credential) };
  }

  async function upgrade(call: RegisterOptions, signal: AbortSignal) {
    if (!(await capabilities())['conditionalCreate']) return undefined;
    return undefinedIfDeclined(signal, register({ ...call, mediation: 'conditional' }, signal));
  }

  /**
   * Prompts only if the browser creates no key without a prompt, or if user verification is required. Both need time: the
   * server refuses a key that the device has stored after the end of the ceremony.
   */
  async function move(answer: AuthenticationAnswer, signal: AbortSignal) {
    const begun = answer.upgrade as CreationOptions | undefined;
    if (!begun) return undefined;
    const endsAt = (answeredAt.get(begun) ?? Date.now()) + begun.timeout;
    await waitFor(signal, (resolve) => void signalling.then(resolve));
    const isPromptless =
      begun.authenticatorSelection?.userVerification !== 'required' &&
      (await capabilities())['conditionalCreate'];
    for (const mediation of isPromptless ? (['conditional', undefined] as const) : [undefined]) {
      const left = endsAt - Date.now();
      if (left < begun.timeout * PROMPT_SHARE) break;
      const timeout = mediation ? Math.min(left, SILENT_TIMEOUT_MS) : left;
      const request = { signal, mediation, hasFallback: mediation !== undefined };
      const key = createKey({ ...begun, timeout }, request);
      const registration = await undefinedIfDeclined(signal, key);
      if (registration) return registration;
    }
    return undefined;
  }

  /** Signs in with one ceremony. An autofill list begins new ceremonies while the page is open. */
  async function authenticate(
    { body: { token, ...body }, mediation }: AuthenticationRequest,
    signal: AbortSignal,
  ): Promise<AuthenticationAnswer> {
    const begin = () => post<RequestOptions>('authenticate/begin', { body, signal, token });
    const get = (begun: RequestOptions, signal: AbortSignal) =>
      promptFor('authenticate', begun, signal, () =>
        navigator.credentials.get({
          publicKey: requestOptions(begun),
          signal,
          ...(mediation && { mediation }),
        }),
      );
    let begun = await begin();
    if (mediation !== 'conditional') return complete(begun, await get(begun, signal), signal);
    for (let hasExpired = false; ; begun = await beginWithRetries(signal, begin)) {
      const current = begun;
      const credential = await promptUntilRenewal(begun.timeout, signal, (ceremonySignal) =>
        get(current, ceremonySignal),
      );
      if (!credential) continue;
      try {
        return await complete(begun, credential, signal);
      } catch (error) {
        // Ceremonies of other tabs can displace this one. The user can choose the key once more.
        if (hasExpired || (error as ServiceFidoError).kind !== 'expired') throw error;
        hasExpired = true;
      }
    }
  }

  /** Does not report a prompt that ends without a passkey: usually the user has not seen one. */
  async function signInImmediately(
    { token, ...body }: AuthenticationRequest['body'],
    signal: AbortSignal,
  ): Promise<AuthenticationAnswer | undefined> {
    if (!(await capabilities())['immediateGet']) return undefined;
    const begun = await post<RequestOptions>('authenticate/begin', { body, signal, token });
    const chosen = prompt(begun.timeout, () => {
      const request = { publicKey: requestOptions(begun), signal, uiMode: 'immediate' };
      return navigator.credentials.get(request);
    });
    const credential = await undefinedIfDeclined(signal, chosen);
    return credential && complete(begun, credential, signal);
  }

  async function complete(
    begun: RequestOptions,
    credential: PublicKeyCredential,
    signal: AbortSignal,
  ) {
    const body = { ...toAuthenticationJSON(credential), ...ceremonyOf(begun) };
    try {
      const answer = await post<AuthenticationAnswer>('authenticate/complete', { body, signal });
      if (answer.upgrade) answeredAt.set(answer.upgrade, Date.now());
      signalling = signalAccount(answer.signals);
      return { ...answer, ...clientMembers(begun, credential) };
    } catch (error) {
      signalUnknown((error as ServiceFidoError).unknownCredential);
      throw error;
    }
  }

  async function autofill(
    field: FormField | undefined,
    body: AuthenticationRequest['body'],
    signal: AbortSignal,
  ) {
    if (!(await isAutofillAvailable())) throw new ServiceFidoError('unsupported');
    offerPasskeysIn(field);
    const mediation = 'conditional';
    return authenticate({ body: { ...body, mediation }, mediation }, signal);
  }

  return {
    register: ({ signal, ...call }) =>
      flight.run('create', signal, (callSignal) => register(call, callSignal)),
    upgrade: ({ signal, ...call }) =>
      flight.run('create', signal, (callSignal) => upgrade(call, callSignal)),
    move: (answer, { signal } = {}) =>
      flight.run('create', signal, (callSignal) => move(answer, callSignal)),
    authenticate: ({ signal, mediation, ...body }: AuthenticateOptions) =>
      flight.run('get', signal, (callSignal) => authenticate({ body, mediation }, callSignal)),
    signIn: (({ signal, immediate, ...call }: SignInOptions & { immediate?: boolean } = {}) =>
      flight.run<AuthenticationAnswer | undefined>('get', signal, (callSignal) => {
        const body = { ...call, mediation: 'optional' };
        return immediate ? signInImmediately(body, callSignal) : authenticate({ body }, callSignal);
      })) as Client['signIn'],
    autofill: (field, { signal, ...call }: SignInOptions = {}) =>
      flight.run('get', signal, (callSignal) => autofill(field, call, callSignal)),
    abort: () => flight.abort(),
  };
}

/** Resolves with `undefined` if there is no key because the user or the browser declined. */
async function undefinedIfDeclined<T>(
  signal: AbortSignal,
  result: Promise<T>,
): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    const { kind } = error as ServiceFidoError;
    if (!signal.aborted && DECLINED_KINDS.includes(kind)) return undefined;
    throw error;
  }
}

/**
 * Errors with which an upgrade or an immediate sign-in can end without a key. They are no failures, since the user did
 * not request it.
 */
const DECLINED_KINDS: readonly ErrorKind[] = [
  'cancelled',
  'timeout',
  'already_registered',
  'unsupported',
  'busy',
];

/** Returns the ID of the ceremony, which a backend with an application key can pass to the page or keep. */
const ceremonyOf = ({ ceremony }: Begun<object>) => ceremony && { ceremony };

/** Returns what the caller gets from the begin call and the credential, in addition to the result call's answer. */
const clientMembers = ({ warnings }: Begun<object>, credential: PublicKeyCredential) => ({
  ...(warnings && { warnings }),
  clientExtensionResults: credential.getClientExtensionResults(),
});
