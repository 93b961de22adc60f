import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** The headers that Chromium sends when a user opens a page. */
const NAVIGATION = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};
/** The headers of a request by a script of that page. */
const SCRIPT = {
  accept: '*/*',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
};
const CHROMIUM = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36',
};

type Fields = Readonly<Record<string, string>>;
/** Tick boxes send a field several times. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>;

interface Sent {
  readonly method?: string;
  readonly headers?: Fields;
  readonly body?: string;
}

export interface Shown {
  readonly status: number;
  readonly text: string;
  header(name: string): string | undefined;
  /** Cookies that it sets, as they came. */
  readonly set: readonly string[];
}

/** Sends these headers and no others: Node's `fetch` adds headers that only a browser should send. */
export async function sendRaw(
  address: string,
  { method = 'GET', headers, body }: Sent = {},
): Promise<Shown> {
  const call = request(address, { method, headers: { ...headers } }).end(body);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  return {
    status: answer.statusCode ?? 0,
    text: await text(answer),
    header: (name) => answer.headers[name]?.toString(),
    set: answer.headers['set-cookie'] ?? [],
  };
}

/** A simulated browser: its headers, its cookies, and the forms of the pages that it has received. */
export class BrowserClient {
  readonly cookies = new Map<string, string>();
  /** The text of the last page. */
  private page = '';

  constructor(readonly url: string) {}

  /** A browser that is signed in to the console at `url`. */
  static async signedIn(url: string, name: string, password: string): Promise<BrowserClient> {
    const client = new BrowserClient(url);
    await client.signIn(name, password);
    return client;
  }

  /**
   * Opens a page as if the user typed the address or followed a link; follows redirects.
   *
   * @param path or the address of a page at another port: cookies know no port
   */
  open(path: string, headers: Fields = {}): Promise<Shown> {
    return this.show(path, { headers });
  }

  /** Sends a form with the token of the page that is shown. */
  submit(path: string, fields: FormFields, headers: Fields = {}): Promise<Shown> {
    const { formToken } = this;
    const all = { ...(formToken !== undefined && { formToken }), ...fields };
    const body = new URLSearchParams(
      Object.entries(all).flatMap(([name, value]) =>
        [value].flat().map((text): [string, string] => [name, text]),
      ),
    );
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const sent = { origin: this.url, ...type, ...headers };
    return this.show(path, { method: 'POST', body: body.toString(), headers: sent });
  }

  /** Sends a request of a script of the page. */
  fetch(path: string, { headers, ...sent }: Sent = {}): Promise<Shown> {
    return this.send(path, { ...sent, headers: { ...SCRIPT, ...headers } });
  }

  /** The same with JSON, as scripts send it. */
  post(path: string, body: object): Promise<Shown> {
    const headers = { 'content-type': 'application/json', origin: this.url };
    return this.fetch(path, { method: 'POST', body: JSON.stringify(body), headers });
  }

  signIn(username: string, password: string, to = '/'): Promise<Shown> {
    return this.submit('/console/sign-in', { username, password, to });
  }

  /** Of the page that is shown. */
  get formToken(): string | undefined {
    return /name="formToken" value="([^"]+)"/.exec(this.page)?.[1];
  }

  /** The cookie of its session. */
  get session(): string | undefined {
    return [...this.cookies].find(([name]) => name.startsWith('__Host-servicefido-console'))?.[1];
  }

  /** The same browser at another port: cookies know no port, this one's name does. */
  at(url: string): BrowserClient {
    const moved = new BrowserClient(url);
    moved.plant(this.session ?? '');
    return moved;
  }

  /** Puts a session's cookie into it. */
  plant(session: string): void {
    this.cookies.set(`__Host-servicefido-console-${new URL(this.url).port}`, session);
  }

  private async show(path: string, sent: Sent): Promise<Shown> {
    const shown = await this.send(path, { ...sent, headers: { ...NAVIGATION, ...sent.headers } });
    const to = shown.header('location');
    const leads = shown.status === 302 || shown.status === 303;
    if (leads && to !== undefined) return this.open(new URL(to, new URL(path, this.url)).href);
    this.page = shown.text;
    return shown;
  }

  private async send(path: string, { headers, ...sent }: Sent): Promise<Shown> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const all = { ...CHROMIUM, ...headers, ...(cookie !== '' && { cookie }) };
    const shown = await sendRaw(new URL(path, this.url).href, { ...sent, headers: all });
    for (const set of shown.set) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return shown;
  }
}
