import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceFido } from './client.js';
import { ServiceFidoError } from './error.js';
import type { Authenticated, CallOptions, Registered } from './types.js';

/** What Express, `express.json()` and whatever else adds to `Express.Request` make of a request. */
export type ParsedRequest = IncomingMessage &
  Express.Request & {
    body?: unknown;
    ip?: string | undefined;
  };

/** Whom a registration is for, in the words of your application. */
export interface Registrant {
  username: string;
  displayName: string;
  /** What your application calls the user, for ever: tokens carry it as `user_id`. */
  userId?: string;
}

type Awaitable<T> = T | Promise<T>;

/** What only your application can say. */
export interface PasskeyHooks<Request extends ParsedRequest> {
  /** Who has signed in here, or is signing up, and may add a key; `undefined` is answered 401. */
  registering(request: Request): Awaitable<Registrant | undefined>;
  /**
   * Whether the user of this name has just shown you a second factor, in this very request's session. It
   * needs a key with the scope `second-factor`.
   */
  secondFactor?(request: Request, username: string): Awaitable<boolean>;
  /** A key was stored. */
  registered?(request: Request, answer: Registered): Awaitable<void>;
  /** A user has signed in: begin your session, unless the answer's token is all that your page needs. */
  signedIn?(request: Request, answer: Authenticated): Awaitable<void>;
}

type Next = (error?: unknown) => void;
type Body = Readonly<Record<string, unknown>>;

/** What a page may say in either begin call; your application says everything else. */
const OF_BEGIN = ['userVerification', 'authenticatorSelection', 'extensions', 'hints', 'mediation'];
const OF_REGISTRATION = [
  ...OF_BEGIN,
  'attestation',
  'attachment',
  'authenticatorAttachment',
  'algorithms',
  'residentKey',
  'discoverable_credential',
  'requireResidentKey',
  'keypair',
  'ticket',
];
const OF_AUTHENTICATION = [...OF_BEGIN, 'nonce', 'audience', 'acr', 'transaction', 'ticket'];
/** What an authenticator answered, or why it did not. */
const OF_RESULT = [
  'ceremony',
  'type',
  'id',
  'rawId',
  'response',
  'authenticatorAttachment',
  'clientExtensionResults',
  'challenge',
  'error',
];

/**
 * The paths that the browser SDK calls, on your own origin and with your application's key:
 * `app.use('/fidoapi', express.json(), passkeyRoutes(fido, hooks))`. The page's SDK gets `baseUrl: ''`. What
 * the server refuses is handed on to the page; that it cannot be reached is passed on as an error.
 */
export function passkeyRoutes<Request extends ParsedRequest>(
  fido: ServiceFido,
  hooks: PasskeyHooks<Request>,
): (request: Request, response: ServerResponse, next: Next) => Promise<void> {
  const calls = callsOf(fido, hooks);
  return async (request, response, next) => {
    const call = calls[`${request.method} ${request.url?.replace(/\?.*/, '')}`];
    if (!call) return next();
    try {
      const answer = await call(request);
      if (answer) send(response, 200, answer);
      else send(response, 401, { status: 'failed', errorMessage: 'Please sign in first.' });
    } catch (error) {
      if (!(error instanceof ServiceFidoError) || error.status === 0) return next(error);
      const { status, answer, retryAfter } = error;
      if (retryAfter) response.setHeader('Retry-After', retryAfter);
      send(response, status, answer);
    }
  };
}

type Calls<Request> = Record<string, (request: Request) => Promise<object | undefined>>;

function callsOf<Request extends ParsedRequest>(
  fido: ServiceFido,
  hooks: PasskeyHooks<Request>,
): Calls<Request> {
  return {
    async 'POST /register/begin'(request) {
      const registrant = await hooks.registering(request);
      if (!registrant) return undefined;
      const wishes = membersOf(request, OF_REGISTRATION);
      return fido.beginRegistration({ ...wishes, ...registrant }, callerOf(request));
    },
    async 'POST /register/complete'(request) {
      const idempotencyKey = request.headers['idempotency-key'];
      const options = { ...callerOf(request), idempotencyKey: idempotencyKey?.toString() };
      const answer = await fido.completeRegistration(membersOf(request, OF_RESULT), options);
      await hooks.registered?.(request, answer);
      return answer;
    },
    'POST /register/given-up': (request) =>
      fido.giveUpRegistration(membersOf(request, OF_RESULT), callerOf(request)),
    'POST /authenticate/given-up': (request) =>
      fido.giveUpAuthentication(membersOf(request, OF_RESULT), callerOf(request)),
    async 'POST /authenticate/begin'(request) {
      const { username } = membersOf<{ username: string }>(request, ['username']);
      const wishes = membersOf(request, OF_AUTHENTICATION);
      const isBacked = username && (await hooks.secondFactor?.(request, username));
      const body = { ...wishes, username, ...(isBacked && { secondFactor: true }) };
      return fido.beginAuthentication(body, callerOf(request));
    },
    async 'POST /authenticate/complete'(request) {
      const answer = await fido.completeAuthentication(
        membersOf(request, OF_RESULT),
        callerOf(request),
      );
      await hooks.signedIn?.(request, answer);
      return answer;
    },
  };
}

/** Limits count the person at the page, and not your backend. */
const callerOf = ({ ip, socket }: ParsedRequest): CallOptions => ({
  clientAddress: ip ?? socket.remoteAddress,
});

/** These members of what the page sent, and no others; the server looks at each of them. */
function membersOf<Sent>({ body }: ParsedRequest, names: readonly string[]): Body & Sent {
  const sent = Object.entries((body ?? {}) as Body);
  return Object.fromEntries(sent.filter(([name]) => names.includes(name))) as Body & Sent;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  response.end(JSON.stringify(body));
}
