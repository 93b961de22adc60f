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

interface ApiRequest extends T.ResultOptions {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: object;
  query?: Query;
}

const TIMEOUT_MS = 10_000;

/**
 * Client of a ServiceFido server for backends. It calls with an application key, without cookies and passwords.
 * Each method needs one permission of that key. It resolves with the server's answer, which you can pass to the
 * page, or rejects with a ServiceFidoError.
 */
export class ServiceFido {
  readonly #settings: ClientSettings;
  readonly #baseUrl: string;

  /** @throws TypeError without the secret of an application key: the calls would be those of an anonymous caller */
  constructor(settings: ClientSettings) {
    if (!String(settings.key).startsWith('sfk_')) {
      throw new TypeError('"key" must be the secret of an application key (sfk_…). Is it set?');
    }
    this.#settings = settings;
    this.#baseUrl = String(settings.baseUrl).replace(/(?:\/fidoapi)?\/*$/, '');
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
  issueTicket(
    ticket: T.TicketRequest & { relyingParty?: string },
    options?: T.CallOptions,
  ): Promise<T.Ticket> {
    const { relyingParty } = this.#settings;
    return this.#post('/userapi/tickets', { relyingParty, ...ticket }, options);
  }

  /** Returns one page of the matching users, with their keys. Requires permission `users:read`. */
  listUsers(query: T.UserQuery = {}, options?: T.CallOptions): Promise<T.UserPage> {
    const { limit = 100, ...filters } = query;
    return this.#send('/users', { query: { ...filters, limit }, ...options });
  }

  /** Iterates over all matching users, page by page. Requires permission `users:read`. */
  async *users(query: Omit<T.UserQuery, 'cursor'> = {}): AsyncGenerator<T.User, void, void> {
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
    return this.#change('disabledevice', { device: credentialId }, options);
  }

  /** Enables one key. Requires permission `users:write`. */
  enableKey(credentialId: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#change('enabledevice', { device: credentialId }, options);
  }

  /** Deletes one key. Requires permission `users:write`. */
  deleteKey(credentialId: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#change('deldevice', { device: credentialId }, options);
  }

  /** Returns one page of the events, newest first. Requires permission `events:read`. */
  listEvents(query: T.EventQuery = {}, options?: T.CallOptions): Promise<T.EventPage> {
    return this.#send('/userapi/events', { query: { ...query }, ...options });
  }

  /**
   * Returns the next events after a position, oldest first, in an order that never changes. Events appear a few
   * seconds after they happen. Store `next` of each answer to continue after a restart. You can receive an event
   * twice; compare `id`. Requires permission `events:read`.
   *
   * @param after `next` of the previous answer; `'0'` starts with the oldest event
   * @param options.limit maximum number of events, 1 to 1,000; default: 100
   */
  readEvents(
    after: string,
    { limit = 100, ...options }: { limit?: number } & T.CallOptions = {},
  ): Promise<T.EventsRead> {
    return this.#send('/userapi/events', { query: { after, limit }, ...options });
  }

  /** The call takes the user name as a filter, in which an asterisk matches any characters and cannot be escaped. */
  async #changeUser(
    type: T.UserChange,
    username: string,
    options?: T.CallOptions,
  ): Promise<T.Changed> {
    if (username.includes('*')) throw new RangeError('This would be a filter: it has an asterisk.');
    return this.#change(type, { filter: username }, options);
  }

  #change(
    type: T.UserChange,
    target: { filter: string } | { device: string },
    options?: T.CallOptions,
  ): Promise<T.Changed> {
    return this.#post('/userapi/manageusers', { type, ...target }, options);
  }

  #post<Answer>(path: string, body: object, options?: T.ResultOptions): Promise<Answer> {
    return this.#send(path, { method: 'POST', body, ...options });
  }

  async #send<Answer>(path: string, request: ApiRequest): Promise<Answer> {
    const { fetch: transport = fetch, timeout = TIMEOUT_MS } = this.#settings;
    const { method = 'GET', body, query, signal } = request;
    const timeoutSignal = AbortSignal.timeout(timeout);
    let response: Response;
    try {
      response = await transport(`${this.#baseUrl}${path}${queryString(query)}`, {
        method,
        headers: this.#headers(request),
        ...(body && { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, timeoutSignal]) : timeoutSignal,
        redirect: 'error',
      });
    } catch (cause) {
      const errorMessage = 'The ServiceFido server cannot be reached.';
      throw new ServiceFidoError(0, { status: 'failed', errorMessage }, undefined, { cause });
    }
    return readAnswer(response);
  }

  #headers({ body, clientAddress, idempotencyKey }: ApiRequest): Record<string, string> {
    const { key, relyingParty } = this.#settings;
    return {
      Accept: 'application/json',
      Authorization: `Bearer ${key}`,
      ...(relyingParty && { 'X-ServiceFido-RelyingParty': relyingParty }),
      ...(body && { 'Content-Type': 'application/json' }),
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

async function readAnswer<Answer>(response: Response): Promise<Answer> {
  const { ok, status, headers } = response;
  // A proxy can answer with a body that is not JSON, or that is not an answer of ServiceFido.
  const answer: unknown = await response.json().catch(() => undefined);
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

const isObject = (value: unknown): value is { readonly status?: unknown } =>
  typeof value === 'object' && value !== null;

const isRefusal = (value: unknown): value is Refusal =>
  isObject(value) && 'errorMessage' in value && typeof value.errorMessage === 'string';
