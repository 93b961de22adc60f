import { ServiceFidoError, type Refusal } from './error.js';
import type * as T from './types.js';

export interface ClientSettings {
  /** Where the server is, such as `https://fido.example.com`. */
  baseUrl: string | URL;
  /** The application's key: `sfk_…`. */
  key: string;
  /** The relying party to name; without one the server takes the key's only one. */
  relyingParty?: string | undefined;
  /** Milliseconds after which a call is given up; 10,000 unless named. */
  timeout?: number;
  /** Own transport, for tests or a proxy. */
  fetch?: typeof fetch;
}

type Query = Record<string, string | number | undefined>;

interface Request extends T.ResultOptions {
  method?: 'GET' | 'POST' | 'DELETE';
  body?: object;
  query?: Query;
}

const TIMEOUT_MS = 10_000;

/**
 * A ServiceFido server, called by a backend with a key of its own: no cookies, nobody's password. Every
 * call resolves with the server's answer, fit to be handed on to the page, or throws a ServiceFidoError.
 * What the key may do is said by its scopes.
 */
export class ServiceFido {
  readonly #settings: ClientSettings;
  readonly #base: string;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
    this.#base = String(settings.baseUrl).replace(/\/+$/, '');
  }

  /** Scope `ceremonies`: for a user whom your application has signed in, or is signing up. */
  beginRegistration(
    body: T.BeginRegistration,
    options?: T.CallOptions,
  ): Promise<T.CreationOptions> {
    return this.#post('/fidoapi/register/begin', body, options);
  }

  /** Scope `ceremonies`: stores the key, with what the authenticator answered and the `ceremony` of before. */
  completeRegistration(
    body: T.RegistrationResult,
    options?: T.ResultOptions,
  ): Promise<T.Registered> {
    return this.#post('/fidoapi/register/complete', body, options);
  }

  /** Scope `ceremonies`. A user without a key that can sign in is refused with status 403. */
  beginAuthentication(
    body: T.BeginAuthentication,
    options?: T.CallOptions,
  ): Promise<T.RequestOptions> {
    return this.#post('/fidoapi/authenticate/begin', body, options);
  }

  /** Scope `ceremonies`: when it resolves, the user of the answer has signed in. */
  completeAuthentication(
    body: T.AuthenticationResult,
    options?: T.ResultOptions,
  ): Promise<T.Authenticated> {
    return this.#post('/fidoapi/authenticate/complete', body, options);
  }

  /** Scope `ceremonies`: the prompt of a registration gave no key; it is counted, and the ceremony is over. */
  giveUpRegistration(body: T.GivenUp, options?: T.CallOptions): Promise<T.Ok> {
    return this.#post('/fidoapi/register/given-up', body, options);
  }

  /** Scope `ceremonies`: the prompt of a sign-in gave no key; it is counted, and the ceremony is over. */
  giveUpAuthentication(body: T.GivenUp, options?: T.CallOptions): Promise<T.Ok> {
    return this.#post('/fidoapi/authenticate/given-up', body, options);
  }

  /** Scope `tickets`: lets this user register one key. */
  issueTicket(
    ticket: T.TicketRequest & { relyingParty?: string },
    options?: T.CallOptions,
  ): Promise<T.Ticket> {
    const { relyingParty } = this.#settings;
    return this.#post('/userapi/tickets', { relyingParty, ...ticket }, options);
  }

  /** Scope `users:read`: a page of the users that match, with their keys. */
  listUsers(query: T.UserQuery = {}, options?: T.CallOptions): Promise<T.UserPage> {
    const { limit = 100, ...others } = query;
    return this.#send('/users', { query: { ...others, limit }, ...options });
  }

  /** Scope `users:read`: all users that match, read page by page. */
  async *users(query: Omit<T.UserQuery, 'cursor'> = {}): AsyncGenerator<T.User, void, void> {
    let cursor: string | undefined;
    do {
      const page = await this.listUsers({ ...query, ...(cursor && { cursor }) });
      yield* page.users;
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  }

  /** Scope `users:write`: keeps the user's keys and lets none of them sign in. */
  disableUser(username: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#changeUser('disableall', username, options);
  }

  /** Scope `users:write`: all keys of the user may sign in again. */
  enableUser(username: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#changeUser('enableall', username, options);
  }

  /** Scope `users:write`: removes the user and all keys. */
  deleteUser(username: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#changeUser('deluser', username, options);
  }

  /** Scope `users:write`: one key, by its credential ID. */
  disableKey(credentialId: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#change('disabledevice', { device: credentialId }, options);
  }

  /** Scope `users:write`: one key, by its credential ID. */
  enableKey(credentialId: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#change('enabledevice', { device: credentialId }, options);
  }

  /** Scope `users:write`: one key, by its credential ID. */
  deleteKey(credentialId: string, options?: T.CallOptions): Promise<T.Changed> {
    return this.#change('deldevice', { device: credentialId }, options);
  }

  /** Scope `events:read`: a page of what happened, the newest first. */
  listEvents(query: T.EventQuery = {}, options?: T.CallOptions): Promise<T.EventPage> {
    return this.#send('/userapi/events', { query: { ...query }, ...options });
  }

  /** In a filter an asterisk matches any characters and cannot be escaped. */
  async #changeUser(
    type: T.UserChange,
    username: string,
    options?: T.CallOptions,
  ): Promise<T.Changed> {
    if (username.includes('*')) throw new RangeError('This would be a filter: it has an asterisk.');
    return this.#change(type, { filter: username }, options);
  }

  /**
   * Scope `events:read`: what happened since, the oldest first, in an order that stays. Each event comes at
   * least once, seconds after it happened; keep `next` and go on from there, also after a restart.
   *
   * @param after `next` of the answer before; `'0'` begins with the oldest
   */
  readEvents(
    after: string,
    { limit = 100, ...options }: { limit?: number } & T.CallOptions = {},
  ): Promise<T.EventsRead> {
    return this.#send('/userapi/events', { query: { after, limit }, ...options });
  }

  #change(
    type: T.UserChange,
    of: { filter: string } | { device: string },
    options?: T.CallOptions,
  ): Promise<T.Changed> {
    return this.#post('/userapi/manageusers', { type, ...of }, options);
  }

  #post<Answer>(path: string, body: object, options?: T.ResultOptions): Promise<Answer> {
    return this.#send(path, { method: 'POST', body, ...options });
  }

  async #send<Answer>(path: string, request: Request): Promise<Answer> {
    const { fetch: transport = fetch, timeout = TIMEOUT_MS } = this.#settings;
    const { method = 'GET', body, query, signal } = request;
    const late = AbortSignal.timeout(timeout);
    let response: Response;
    try {
      response = await transport(`${this.#base}${path}${searchOf(query)}`, {
        method,
        headers: this.#headers(request),
        ...(body && { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, late]) : late,
        redirect: 'error',
      });
    } catch (cause) {
      const errorMessage = 'The ServiceFido server cannot be reached.';
      throw new ServiceFidoError(0, { status: 'failed', errorMessage }, undefined, { cause });
    }
    return answerOf(response);
  }

  #headers({ body, clientAddress, idempotencyKey }: Request): Record<string, string> {
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

function searchOf(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search}`;
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  const { ok, status, headers } = response;
  // A proxy in between may answer with something that is not JSON, or not the server's.
  const answer: unknown = await response.json().catch(() => undefined);
  if (ok && isAnswer(answer) && answer.status === 'ok') return answer as Answer;
  const retryAfter = Number(headers.get('Retry-After'));
  throw new ServiceFidoError(
    // A refusal that is passed on must not become a success.
    ok ? 0 : status,
    isRefusal(answer)
      ? answer
      : { status: 'failed', errorMessage: `The server answered ${status}.` },
    retryAfter > 0 ? retryAfter : undefined,
  );
}

const isAnswer = (value: unknown): value is { readonly status?: unknown } =>
  typeof value === 'object' && value !== null;

const isRefusal = (value: unknown): value is Refusal =>
  isAnswer(value) && 'errorMessage' in value && typeof value.errorMessage === 'string';
