import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import {
  checkMembers,
  checkValue,
  functionRule,
  methodRule,
  type MemberRules,
} from './check-members.js';
import type { ServiceFido } from './client.js';
import { ServiceFidoError } from './error.js';
import type { Authenticated, CallOptions, Registered } from './types.js';

/** A request of Express, with the body parsed by `express.json()` and the members added to `Express.Request`. */
export type ParsedRequest = IncomingMessage &
  Express.Request & {
    body?: unknown;
    ip?: string | undefined;
  };

/** The user for whom a key is registered, as your application knows this user. */
export interface Registrant {
  username: string;
  displayName: string;
  /** Your application's permanent ID of the user. Tokens contain it as the claim `user_id`. */
  userId?: string;
}

type Awaitable<T> = T | Promise<T>;

/** Decisions and actions of your application. */
export interface PasskeyHooks<Request extends ParsedRequest> {
  /** Returns the user who has signed in or is signing up, and may add a key. `undefined` is answered with 401. */
  registering(request: Request): Awaitable<Registrant | undefined>;
  /**
   * Returns whether your application has just checked a second factor of this user in the session of this request.
   * Requires permission `second-factor`. Default: no second factor.
   */
  secondFactor?(request: Request, username: string): Awaitable<boolean>;
  /** Called after a key was stored, before the page gets the answer. */
  registered?(request: Request, answer: Registered): Awaitable<void>;
  /** Called after a sign-in, before the page gets the answer. Begin your session here, unless you use the token. */
  signedIn?(request: Request, answer: Authenticated): Awaitable<void>;
}

const CLIENT = methodRule('the client: new ServiceFido({ baseUrl, key })', 'beginRegistration');
const FUNCTION = functionRule('a function');
const HOOKS: MemberRules<PasskeyHooks<ParsedRequest>> = {
  registering: { ...FUNCTION, presence: 'required' },
  secondFactor: FUNCTION,
  registered: FUNCTION,
  signedIn: FUNCTION,
};

type Next = (error?: unknown) => void;
type Body = Readonly<Record<string, unknown>>;

/** Members that a page may set in both begin calls. Your application sets all others. */
const BEGIN_MEMBERS = [
  'userVerification',
  'authenticatorSelection',
  'extensions',
  'hints',
  'mediation',
];
const REGISTRATION_MEMBERS = [
  ...BEGIN_MEMBERS,
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
const AUTHENTICATION_MEMBERS = [
  ...BEGIN_MEMBERS,
  'nonce',
  'audience',
  'acr',
  'transaction',
  'ticket',
];
/** Members of the authenticator's response, or of the report that a prompt ended without a key. */
const RESULT_MEMBERS = [
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

const NO_PARSER =
  'The JSON body was not parsed. Put a parser before passkeyRoutes: ' +
  "app.use('/fidoapi', express.json(), passkeyRoutes(fido, hooks)).";

const isUnparsed = ({ body, headers }: ParsedRequest): boolean =>
  body === undefined && /json/i.test(headers['content-type'] ?? '');

/**
 * Returns middleware for the paths that the browser SDK calls, on your own origin and with your application key:
 * `app.use('/fidoapi', express.json(), passkeyRoutes(fido, hooks))`. Create the SDK's client with `baseUrl: ''`. The
 * page gets the server's refusals. If the server gives no valid answer, the middleware calls `next` with the error.
 *
 * @throws TypeError without a client or `registering`, or if a hook is unknown or no function
 */
export function passkeyRoutes<Request extends ParsedRequest>(
  fido: ServiceFido,
  hooks: PasskeyHooks<Request>,
): (request: Request, response: ServerResponse, next: Next) => Promise<void> {
  checkValue('"fido"', fido, CLIENT);
  checkMembers('hooks', hooks, HOOKS);
  const handlers = createHandlers(fido, hooks);
  return async (request, response, next) => {
    const handler = handlers[`${request.method} ${request.url?.replace(/\?.*/, '')}`];
    if (!handler) return next();
    if (isUnparsed(request)) return next(new TypeError(NO_PARSER));
    try {
      const answer = await handler(request);
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

type Handlers<Request> = Record<string, (request: Request) => Promise<object | undefined>>;

function createHandlers<Request extends ParsedRequest>(
  fido: ServiceFido,
  hooks: PasskeyHooks<Request>,
): Handlers<Request> {
  return {
    async 'POST /register/begin'(request) {
      const registrant = await hooks.registering(request);
      if (!registrant) return undefined;
      const requested = pickMembers(request, REGISTRATION_MEMBERS);
      return fido.beginRegistration({ ...requested, ...registrant }, callOptions(request));
    },
    async 'POST /register/complete'(request) {
      const idempotencyKey = request.headers['idempotency-key'];
      const options = { ...callOptions(request), idempotencyKey: idempotencyKey?.toString() };
      const answer = await fido.completeRegistration(pickMembers(request, RESULT_MEMBERS), options);
      await hooks.registered?.(request, answer);
      return answer;
    },
    'POST /register/given-up': (request) =>
      fido.giveUpRegistration(pickMembers(request, RESULT_MEMBERS), callOptions(request)),
    'POST /authenticate/given-up': (request) =>
      fido.giveUpAuthentication(pickMembers(request, RESULT_MEMBERS), callOptions(request)),
    async 'POST /authenticate/begin'(request) {
      const { username } = pickMembers<{ username: string }>(request, ['username']);
      const requested = pickMembers(request, AUTHENTICATION_MEMBERS);
      const hasSecondFactor = username && (await hooks.secondFactor?.(request, username));
      const body = { ...requested, username, ...(hasSecondFactor && { secondFactor: true }) };
      return fido.beginAuthentication(body, callOptions(request));
    },
    async 'POST /authenticate/complete'(request) {
      const answer = await fido.completeAuthentication(
        pickMembers(request, RESULT_MEMBERS),
        callOptions(request),
      );
      await hooks.signedIn?.(request, answer);
      return answer;
    },
  };
}

/**
 * Rate limits count the address of the client instead of the backend. What a proxy wrote into `X-Forwarded-For` may
 * have a port, which is removed, or may be no address; then the calls of the key count together.
 */
function callOptions({ ip, socket }: ParsedRequest): CallOptions {
  const named = ip ?? socket.remoteAddress ?? '';
  const withoutPort = named.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return { clientAddress: [named, withoutPort].find((address) => isIP(address) !== 0) };
}

/** Copies the named members of the request's body and no others. The server validates their values. */
function pickMembers<Members>({ body }: ParsedRequest, names: readonly string[]): Body & Members {
  const members = Object.entries((body ?? {}) as Body);
  return Object.fromEntries(members.filter(([name]) => names.includes(name))) as Body & Members;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  response.end(JSON.stringify(body));
}
