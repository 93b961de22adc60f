import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { holdToContract } from './contract/contract.js';
import { ADMIN } from './test-server.js';

/** The header with which browsers ask for pages. */
export const HTML = { accept: 'text/html' };

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; an empty object if the answer is not JSON. */
  readonly body: Record<string, unknown> & {
    readonly status?: unknown;
    readonly errorCode?: string;
    readonly errorMessage?: string;
  };
  readonly text: string;
}

/** An HTTP client with a cookie jar for one server, like the session of a browser. */
export class Client {
  cookie: string | undefined;

  constructor(
    private readonly url: string,
    /** Sent with every request. */
    readonly headers: Record<string, string> = {},
  ) {}

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.sendJson('POST', path, { body, headers });
  }

  put(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.sendJson('PUT', path, { body, headers });
  }

  patch(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.sendJson('PATCH', path, { body, headers });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(path, { headers });
  }

  async send(path: string, init: RequestInit): Promise<Answer> {
    const cookie = this.cookie === undefined ? {} : { cookie: this.cookie };
    const response = await fetchOrOpen(this.url + path, {
      ...init,
      headers: { ...this.headers, ...cookie, ...(init.headers as Record<string, string>) },
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) this.cookie = set.slice(0, set.indexOf(';'));
    const content = await response.text();
    const answer = {
      status: response.status,
      headers: response.headers,
      body: jsonOf(content),
      text: content,
    };
    holdToContract(init.method ?? 'GET', path, answer);
    return answer;
  }

  /** For a method that a test varies. */
  sendJson(
    method: string,
    path: string,
    { body, headers }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    return this.send(path, {
      method,
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }
}

/** Opens a page as a browser does if the caller wants HTML: `fetch` always sends `Sec-Fetch-Mode: cors`. */
async function fetchOrOpen(
  url: string,
  init: Omit<RequestInit, 'headers'> & { readonly headers: Record<string, string> },
): Promise<Response> {
  const { headers, method = 'GET', body = '' } = init;
  if (!headers['accept']?.includes('text/html') || typeof body !== 'string') {
    return fetch(url, { redirect: 'manual', ...init });
  }
  const all = { 'sec-fetch-mode': 'navigate', ...headers };
  const call = request(url, { method, headers: all }).end(body);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  const { statusCode: status = 0, headersDistinct } = answer;
  const fields = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const content = await text(answer);
  return new Response(content === '' ? null : content, { status, headers: fields });
}

function jsonOf(content: string): Answer['body'] {
  try {
    return JSON.parse(content) as Answer['body'];
  } catch {
    return {};
  }
}

export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/** A client that signs in as the administrator. */
export const adminClient = (url: string): Client =>
  new Client(url, basic(ADMIN.user, ADMIN.password));
