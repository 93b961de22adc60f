import { offerIn, patiently, whileFresh } from './autofill.js';
import { capabilities, isAutofillAvailable } from './capabilities.js';
import { ServiceFidoError } from './errors.js';
import {
  creationOptions,
  requestOptions,
  toAuthenticationJSON,
  toRegistrationJSON,
} from './json.js';
import { nameOf, prompt } from './prompt.js';
import { serverAt } from './server.js';
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

type Creation = Begun<PublicKeyCredentialCreationOptionsJSON>;
type Request = Begun<PublicKeyCredentialRequestOptionsJSON>;

/** How the browser asks, and what the begin call is sent. */
interface Asking {
  body: { token?: string | undefined; [member: string]: unknown };
  mediation?: CredentialMediationRequirement | undefined;
}

interface Making {
  signal: AbortSignal;
  idempotencyKey?: string | undefined;
  mediation?: 'conditional' | undefined;
  /** The ceremony is tried once more where this gives no key: it is not given up yet. */
  goesOn?: boolean;
}

/** Makes a client of one server. It runs one call at a time: a newer call aborts the former. */
export function createClient(options: ClientOptions = {}): Client {
  const post = serverAt(options);
  const flight = new SingleFlight();
  /** Of the last answer; at another domain's RP ID it takes the browser a call to learn that it may. */
  let told = Promise.resolve();

  /** Reports a prompt without a key to the server, for its figures; the page does not wait for that. */
  async function promptFor(
    call: 'register' | 'authenticate',
    begun: Creation | Request,
    signal: AbortSignal,
    open: () => Promise<Credential | null>,
  ) {
    try {
      return await prompt(begun.timeout, open);
    } catch (error) {
      const body = { challenge: begun.challenge, error: nameOf(error), ...ceremonyOf(begun) };
      if (!signal.aborted) post(`${call}/given-up`, { body, keepalive: true }).catch(() => {});
      throw error;
    }
  }

  async function register(
    { token, idempotencyKey, ...body }: RegisterOptions,
    signal: AbortSignal,
  ): Promise<RegistrationAnswer> {
    const begun = await post<Creation>('register/begin', { body, signal, token });
    return make(begun, { ...body, signal, idempotencyKey });
  }

  async function make(
    begun: Creation,
    { signal, idempotencyKey, mediation, goesOn }: Making,
  ): Promise<RegistrationAnswer> {
    const publicKey = creationOptions(begun);
    const ask = (signal: AbortSignal) => {
      const open = () =>
        navigator.credentials.create({ publicKey, signal, ...(mediation && { mediation }) });
      return goesOn ? prompt(begun.timeout, open) : promptFor('register', begun, signal, open);
    };
    // Nobody sees that it waits, so that nobody would end it.
    const credential = mediation ? await whileFresh(begun.timeout, signal, ask) : await ask(signal);
    if (!credential) throw new ServiceFidoError('timeout');
    const result = { ...toRegistrationJSON(credential), ...ceremonyOf(begun) };
    const call = { body: result, signal, idempotencyKey };
    const answer = await post<RegistrationAnswer>('register/complete', call);
    told = signalAccount(answer.signals);
    return { ...answer, ...outcomeOf(begun, credential) };
  }

  /** Of a browser that cannot, or does not want to: nothing. */
  async function upgrade(call: RegisterOptions, signal: AbortSignal) {
    if (!(await capabilities())['conditionalCreate']) return undefined;
    return unlessLeft(signal, register({ ...call, mediation: 'conditional' }, signal));
  }

  /** With a prompt where the browser makes no key without one, or nobody would be verified. */
  async function move(answer: AuthenticationAnswer, signal: AbortSignal) {
    const begun = answer.upgrade as Creation | undefined;
    if (!begun) return undefined;
    await told;
    const promptless =
      begun.authenticatorSelection?.userVerification !== 'required' &&
      (await capabilities())['conditionalCreate'];
    const made = promptless
      ? await unlessLeft(signal, make(begun, { signal, mediation: 'conditional', goesOn: true }))
      : undefined;
    return made ?? unlessLeft(signal, make(begun, { signal }));
  }

  /** Asks once; where it waits in a form, for as long as the page is open. */
  async function authenticate(
    { body: { token, ...body }, mediation }: Asking,
    signal: AbortSignal,
  ): Promise<AuthenticationAnswer> {
    const begin = () => post<Request>('authenticate/begin', { body, signal, token });
    const get = (begun: Request, signal: AbortSignal) =>
      promptFor('authenticate', begun, signal, () =>
        navigator.credentials.get({
          publicKey: requestOptions(begun),
          signal,
          ...(mediation && { mediation }),
        }),
      );
    let begun = await begin();
    if (mediation !== 'conditional') return complete(begun, await get(begun, signal), signal);
    for (let lost = false; ; begun = await patiently(signal, begin)) {
      const current = begun;
      const credential = await whileFresh(begun.timeout, signal, (own) => get(current, own));
      if (!credential) continue;
      try {
        return await complete(begun, credential, signal);
      } catch (error) {
        // Other tabs may have evicted it: the user may choose the key once more.
        if (lost || (error as ServiceFidoError).kind !== 'expired') throw error;
        lost = true;
      }
    }
  }

  async function complete(begun: Request, credential: PublicKeyCredential, signal: AbortSignal) {
    const body = { ...toAuthenticationJSON(credential), ...ceremonyOf(begun) };
    try {
      const answer = await post<AuthenticationAnswer>('authenticate/complete', { body, signal });
      told = signalAccount(answer.signals);
      return { ...answer, ...outcomeOf(begun, credential) };
    } catch (error) {
      signalUnknown((error as ServiceFidoError).unknownCredential);
      throw error;
    }
  }

  async function autofill(field: FormField | undefined, body: Asking['body'], signal: AbortSignal) {
    if (!(await isAutofillAvailable())) throw new ServiceFidoError('unsupported');
    offerIn(field);
    const mediation = 'conditional';
    return authenticate({ body: { ...body, mediation }, mediation }, signal);
  }

  return {
    register: ({ signal, ...call }) => flight.run(signal, (own) => register(call, own)),
    upgrade: ({ signal, ...call }) => flight.run(signal, (own) => upgrade(call, own)),
    move: (answer, { signal } = {}) => flight.run(signal, (own) => move(answer, own)),
    authenticate: ({ signal, mediation, ...body }: AuthenticateOptions) =>
      flight.run(signal, (own) => authenticate({ body, mediation }, own)),
    signIn: ({ signal, ...call }: SignInOptions = {}) =>
      flight.run(signal, (own) => authenticate({ body: { ...call, mediation: 'optional' } }, own)),
    autofill: (field, { signal, ...call }: SignInOptions = {}) =>
      flight.run(signal, (own) => autofill(field, call, own)),
    abort: () => flight.abort(),
  };
}

async function unlessLeft<T>(signal: AbortSignal, made: Promise<T>): Promise<T | undefined> {
  try {
    return await made;
  } catch (error) {
    if (!signal.aborted && LEFT.includes((error as ServiceFidoError).kind)) return undefined;
    throw error;
  }
}

/** How an upgrade may end that nobody asked for. */
const LEFT: readonly ErrorKind[] = [
  'cancelled',
  'timeout',
  'already_registered',
  'unsupported',
  'busy',
];

/** A backend that begins with its key may hand on the name of the ceremony, or keep it. */
const ceremonyOf = ({ ceremony }: Begun<object>) => ceremony && { ceremony };

/** What the page learns besides the server's answer: the caller sees neither begin call nor credential. */
const outcomeOf = ({ warnings }: Begun<object>, credential: PublicKeyCredential) => ({
  ...(warnings && { warnings }),
  clientExtensionResults: credential.getClientExtensionResults(),
});
