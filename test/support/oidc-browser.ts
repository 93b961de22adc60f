import { FidoClient } from './fido-client.js';
import type { Answer } from './client.js';

interface Cookie {
  readonly value: string;
  readonly path: string;
}

/** An answer of a server to a browser that follows no redirect. */
interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const NAVIGATION = { accept: 'text/html', 'user-agent': 'Mozilla/5.0' };

/** A browser without scripts: it keeps cookies by path, follows redirects, and signs in on the sign-in page. */
export class OidcBrowser {
  private readonly cookies = new Map<string, Cookie>();

  /** @param user whose authenticator signs in */
  constructor(
    private readonly url: string,
    readonly user = new FidoClient(url),
  ) {}

  /** Opens an address of the server, and follows its redirects until one leads away or a page is shown. */
  async open(address: string, init: RequestInit = {}): Promise<{ url: string; page: Response }> {
    let url = new URL(address, this.url).href;
    for (let page = await this.send(url, init); ; page = await this.send(url)) {
      const target = page.headers.get('location');
      if (page.status < 300 || page.status > 399 || target === null) return { url, page };
      url = new URL(target, url).href;
      if (!url.startsWith(this.url)) return { url, page };
    }
  }

  /** Signs in on the page of an address; answers where the browser goes. */
  async signInAt(page: string, username: string): Promise<string> {
    const answer = await this.complete(page, await this.assertionOf(username));
    if (answer.status !== 200) throw new Error(answer.text);
    const { returnTo } = JSON.parse(answer.text) as { returnTo: string };
    return (await this.open(returnTo)).url;
  }

  /** Opens an authorization request, signs in if a page asks for it, and answers where the browser ends. */
  async authorize(address: URL | string, username: string): Promise<URL> {
    const { url } = await this.open(String(address));
    return new URL(url.includes('/sign-in/') ? await this.signInAt(url, username) : url);
  }

  /** A ceremony of the four calls up to the result call, which is for `complete`. */
  async assertionOf(username: string): Promise<object> {
    const begun = await this.user.beginAuthentication(username);
    return this.user.assert(begun as Answer);
  }

  complete(page: string, assertion: object, headers: Record<string, string> = {}) {
    return this.post(`${page}/fidoapi/authenticate/complete`, assertion, headers);
  }

  /** A call of a script of the server's own page. */
  post(address: string, body: object, headers: Record<string, string> = {}) {
    return this.send(address, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        origin: this.url,
        ...headers,
      },
    });
  }

  async send(address: string, init: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(address);
    const sent = [...this.cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name.split(' ')[0]}=${value}`);
    if (this.user.cookie !== undefined) sent.push(this.user.cookie);
    const headers = { ...NAVIGATION, cookie: sent.join('; '), ...(init.headers as object) };
    const response = await fetch(address, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) this.keep(line);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** The names of the kept cookies. */
  get cookieNames(): string[] {
    return [...this.cookies.keys()].map((key) => String(key.split(' ')[0]));
  }

  /** Gives another browser's cookies to this one. */
  takeCookiesOf(other: OidcBrowser): void {
    for (const [key, cookie] of other.cookies) this.cookies.set(key, cookie);
  }

  private keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /; path=([^;]+)/i.exec(line)?.[1] ?? '/';
    const isGone = value === '' || /expires=thu, 01 jan 1970/i.test(line);
    if (isGone) this.cookies.delete(`${name} ${path}`);
    else this.cookies.set(`${name} ${path}`, { value, path });
  }
}
