import { BASE_URL_RULE, trimBaseUrl } from './base-url.js';
import {
  checkArgument,
  checkCallOptions,
  checkEventQuery,
  checkReadOptions,
  checkUserQuery,
} from './check-arguments.js';
import {
  checkMembers,
  functionRule,
  mayBeUndefined,
  textRule,
  wholeNumberRule,
  type MemberRules,
} from './check-members.js';
import { ServiceFidoError, type Refusal } from './error.js';
import type * as T from './types.js';

export interface ClientSettings {
  /** Address of the server, for example `https://fido.example.com`. */
  baseUrl: string | URL;
  /** Secret of the application key: `sfk_…`. */
  key: string;
  /** Domain of the relying party. Default: the server's `--domain`, or else the only one that the key covers. */
  relyingParty?: string | undefined;
  /** Timeout of a call in milliseconds. Default: 10,000. */
  timeout?: number;
  /** Replaces the global `fetch`, for example in tests or behind a proxy. */
  fetch?: typeof fetch;
}

type Query = Record<string, string | number | undefined>;

interface ApiRequest {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: object;
  query?: Query;
  options?: T.ResultOptions | undefined;
}

const TIMEOUT_MS = 10_000;
/** The longest time of a timer in Node. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const SETTINGS: MemberRules<ClientSettings> = {
  baseUrl: BASE_URL_RULE,
  key: {
    mustBe: 'the secret of an application key (sfk_…)',
    accepts: (value) => String(value).startsWith('sfk_'),
    presence: 'required',
  },
  relyingParty: mayBeUndefined(textRule('the domain of the relying party')),
  timeout: mayBeUndefined(wholeNumberRule('milliseconds', MAX_TIMEOUT_MS)),
  fetch: mayBeUndefined(functionRule('a function like the global fetch')),
};

/**
 * Client of a ServiceFido server for backends. It calls with an application key, without cookies and passwords.
 * Each method needs one permission of that key. It resolves with the server's answer, which you can pass to the
 * page, or rejects with a ServiceFidoError. It rejects with a TypeError if an argument is missing, or a member of
 * `query` or `options` is unknown or wrong.
 */
export class ServiceFido {
  readonly #settings: ClientSettings;
  readonly #baseUrl: string;

  /**
   * @throws TypeError if a setting is unknown or wrong, or without the secret of an application key: the calls would be
   *   those of an anonymous caller
   */
  constructor(settings: ClientSettings) {
    checkMembers('settings', settings, SETTINGS);
    this.#settings = settings;
    this.#baseUrl = trimBaseUrl(settings.baseUrl);
  }

  /**
   * Begins a registration. Call it only for a user whom your application has signed in or is signing up. Requires
   * permission `ceremonies`.
   */
  beginRegistration(
    body: T.BeginRegistration,
    options?: T.CallOptions,
  ): Promise<T.CreationOptions> {
    return this.#post('/fidoapi/register/begin', body, options);
  }

  /**
   * Verifies the authenticator's response and stores the key. Requires permission `ceremonies`.
   *
   * @param body the credential as JSON, with `ceremony` from `beginRegistration`
   */
  completeRegistration(
    body: T.RegistrationResult,
    options?: T.ResultOptions,
  ): Promise<T.Registered> {
    return this.#post('/fidoapi/register/complete', body, options);
  }

  /**
   * Begins a sign-in. Rejects with status 403 if the user is unknown or has no enabled key, unless the policy
   * `unknownUsers` is `pretend`. Requires permission `ceremonies`.
   */
  beginAuthentication(
    body: T.BeginAuthentication,
    options?: T.CallOptions,
  ): Promise<T.RequestOptions> {
    return this.#post('/fidoapi/authenticate/begin', body, options);
  }

  /**
   * Verifies the assertion. When it resolves, the user in the answer has signed in. Requires permission `ceremonies`.
   *
   * @param body the credential as JSON, with `ceremony` from `beginAuthentication`
   */
  completeAuthentication(
    body: T.AuthenticationResult,
    options?: T.ResultOptions,
  ): Promise<T.Authenticated> {
    return this.#post('/fidoapi/authenticate/complete', body, options);
  }

  /**
   * Reports that the prompt of a registration ended without a key. The server counts the error and ends the ceremony.
   * Requires permission `ceremonies`.
   */
  giveUpRegistration(body: T.GivenUp, options?: T.CallOptions): Promise<T.Ok> {
    return this.#post('/fidoapi/register/given-up', body, options);
  }

  /**
   * Reports that the prompt of a sign-in ended without a key. The server counts the error and ends the ceremony.
   * Requires permission `ceremonies`.
   */
  giveUpAuthentication(body: T.GivenUp, options?: T.CallOptions): Promise<T.Ok> {
    return this.#post('/fidoapi/authenticate/given-up', body, options);
  }

  /** Issues a ticket that permits one registration of this user. Requires permission `tickets`. */
  async issueTicket(
    ticket: T.TicketRequest & { relyingParty?: string },
    options?: T.CallOptions,
  ): Promise<T.Ticket> {
    checkArgument('ticket', ticket);
    const { relyingParty } = this.#settings;
    return this.#post('/userapi/tickets', { relyingParty, ...ticket }, options);
  }

  /** Returns one page of the matching users, with their keys. Requires permission `users:read`. */
  async listUsers(query: T.UserQuery = {}, options?: T.CallOptions): Promise<T.UserPage> {
    checkUserQuery(query);
    const { limit = 100, ...filters } = query;
    return this.#send('/users', { query: { ...filters, limit }, options });
  }

  /** Iterates over all matching users, page by page. Requires permission `users:read`. */
  async *users(query: Omit<T.UserQuery, 'cursor'> = {}): AsyncGenerator<T.User, void, void> {
    checkUserQuery(query);
    let cursor: string | undefined;
    do {
      const page = await this.listUsers({ ...query, ...(cursor && { cursor }) });
      yield* page.users;
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  }

  /** Disables all keys of the user. Requires permission `users:write`. Rejects a `*` in the name with a RangeError. */
  disableUser(username: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#changeUser('disableall', username, options);
  }

  /** Enables all keys of the user. Requires permission `users:write`. Rejects a `*` in the name with a RangeError. */
  enableUser(username: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#changeUser('enableall', username, options);
  }

  /**
   * Deletes the user and all keys of the user. Requires permission `users:write`. Rejects a `*` in the name with a
   * RangeError.
   */
  deleteUser(username: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#changeUser('deluser', username, options);
  }

  /** Disables one key. Requires permission `users:write`. */
  disableKey(credentialId: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#changeKey('disabledevice', credentialId, options);
  }

  /** Enables one key. Requires permission `users:write`. */
  enableKey(credentialId: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#changeKey('enabledevice', credentialId, options);
  }

  /** Deletes one key. Requires permission `users:write`. */
  deleteKey(credentialId: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#changeKey('deldevice', credentialId, options);
  }

  /** Returns one page of the events, newest first. Requires permission `events:read`. */
  async listEvents(query: T.EventQuery = {}, options?: T.CallOptions): Promise<T.EventPage> {
    checkEventQuery(query);
    return this.#send('/userapi/events', { query: { ...query }, options });
  }

  /**
   * Returns the next events after a position, oldest first, in an order that never changes. Events appear a few
   * seconds after they happen. Store `next` of each answer to continue after a restart. You can receive an event
   * twice; compare `id`. Requires permission `events:read`.
   *
   * @param after `next` of the previous answer; `'0'` starts with the oldest event; use `listEvents` for the newest
   * @param options.limit maximum number of events, 1 to 1,000; default: 100
   */
  async readEvents(
    after: string,
    options: { limit?: number } & T.CallOptions = {},
  ): Promise<T.EventsRead> {
    checkArgument('after', after);
    checkReadOptions(options);
    const { limit = 100, ...callOptions } = options;
    return this.#send('/userapi/events', { query: { after, limit }, options: callOptions });
  }

  /** The call takes the user name as a filter, in which an asterisk matches any characters and cannot be escaped. */
  async #changeUser(
    type: T.UserChange,
    username: string,
    options?: T.CallOptions,
  ): Promise<T.Changed> {
    checkArgument('username', username);
    if (username.includes('*')) throw new RangeError('This would be a filter: it has an asterisk.');
    return this.#change(type, { filter: username }, options);
  }

  async #changeKey(
    type: T.UserChange,
    credentialId: string,
    options?: T.CallOptions,
  ): Promise<T.Changed> {
    checkArgument('credentialId', credentialId);
    return this.#change(type, { device: credentialId }, options);
  }

  #change(
    type: T.UserChange,
    target: { filter: string } | { device: string },
    options?: T.CallOptions,
  ): Promise<T.Changed> {
    return this.#post('/userapi/manageusers', { type, ...target }, options);
  }

  async #post<Answer>(path: string, body: object, options?: T.ResultOptions): Promise<Answer> {
    checkArgument('body', body);
    return this.#send(path, { method: 'POST', body, options });
  }

  async #send<Answer>(path: string, request: ApiRequest): Promise<Answer> {
    const { fetch: transport = fetch, timeout = TIMEOUT_MS } = this.#settings;
    const { method = 'GET', body, query, options = {} } = request;
    checkCallOptions(options);
    const timeoutSignal = AbortSignal.timeout(timeout);
    const signal = options.signal
      ? AbortSignal.any([options.signal, timeoutSignal])
      : timeoutSignal;
    let response: Response;
    try {
      response = await transport(`${this.#baseUrl}${path}${queryString(query)}`, {
        method,
        headers: this.#headers(request),
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
        redirect: 'error',
      });
    } catch (cause) {
      throw noAnswer(cause);
    }
    return readAnswer(response, signal);
  }

  #headers({ body, options = {} }: ApiRequest): Record<string, string> {
    const { clientAddress, idempotencyKey } = options;
    const { key, relyingParty } = this.#settings;
    return {
      Accept: 'application/json',
      Authorization: `Bearer ${key}`,
      ...(relyingParty && { 'X-ServiceFido-RelyingParty': relyingParty }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(clientAddress && { 'X-ServiceFido-Client-Address': clientAddress }),
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    };
  }
}

function queryString(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search}`;
}

async function readAnswer<Answer>(response: Response, signal: AbortSignal): Promise<Answer> {
  const { ok, status, headers } = response;
  // A proxy can answer with a body that is not JSON, or that is not an answer of ServiceFido.
  const answer: unknown = await response.json().catch((cause: unknown) => {
    if (signal.aborted) throw noAnswer(cause);
    return undefined;
  });
  if (ok && isObject(answer) && answer.status === 'ok') return answer as Answer;
  const retryAfter = Number(headers.get('Retry-After'));
  throw new ServiceFidoError(
    // The application passes this status on, so it must not be a success status.
    ok ? 0 : status,
    isRefusal(answer)
      ? answer
      : { status: 'failed', errorMessage: `The server answered ${status}.` },
    retryAfter > 0 ? retryAfter : undefined,
  );
}

const NO_TLS =
  'The ServiceFido server speaks no TLS at this address. Is "baseUrl" an http address?';

/** Sentences about the names and codes of errors with which `fetch` rejects. */
const NO_ANSWER: Readonly<Record<string, string>> = {
  TimeoutError: 'The ServiceFido server did not answer before the timeout.',
  AbortError: 'The call was aborted.',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
};

/** Returns the error of a call without an answer. Its message names the cause. */
function noAnswer(cause: unknown): ServiceFidoError {
  const error = cause as { name?: string; cause?: { code?: string } } | undefined;
  const code = error?.cause?.code;
  const errorMessage =
    NO_ANSWER[error?.name ?? ''] ??
    NO_ANSWER[code ?? ''] ??
    `The ServiceFido server cannot be reached${code === undefined ? '' : ` (${code})`}.`;
  return new ServiceFidoError(0, { status: 'failed', errorMessage }, undefined, { cause });
}

const isObject = (value: unknown): value is { readonly status?: unknown } =>
  typeof value === 'object' && value !== null;

const isRefusal = (value: unknown): value is Refusal =>
  isObject(value) && 'errorMessage' in value && typeof value.errorMessage === 'string';
