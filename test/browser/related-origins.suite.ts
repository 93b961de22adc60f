import type { Browser, BrowserContext, Page } from 'playwright-core';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import type { ChangeRelyingPartyDto } from '../../src/tenancy/tenancy.dto.js';
import { OwnTls } from '../support/own-tls.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { VirtualAuthenticator } from './support/authenticator.js';
import { openOwnBrowser } from './support/browser.js';
import { Sdk, type Setup } from './support/sdk.js';

/**
 * Two sites of one company, both served by the service itself over TLS. Browsers fetch a domain's related origins only
 * from port 443, which the resolver's rules map to a free port.
 */
describe('the page of another domain with a relying party’s keys (WebAuthn L3 §5.11)', () => {
  const tls = new OwnTls();
  let server: TestServer;
  let browser: Browser;
  let context: BrowserContext;
  /** The domain with the keys of a test, and the origin of the other one. */
  let domain: string;
  let related: string;
  let ofDomain: Setup;
  let tests = 0;
  beforeAll(async () => {
    server = await TestServer.start({ options: tls.options });
    const { port } = new URL(server.url);
    browser = await openOwnBrowser(
      `--host-resolver-rules=MAP *.test:443 127.0.0.1:${port}`,
      '--ignore-certificate-errors',
    );
    context = await browser.newContext({ ignoreHTTPSErrors: true });
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    tls.remove();
  });
  beforeEach(async () => {
    tests += 1;
    domain = `old-${tests}.test`;
    related = `https://new-${tests}.test`;
    ofDomain = { relyingParty: domain };
    await server.addRelyingParty('acme', { domain, relatedOrigins: [related] });
  });

  it('registers and signs in with a key of the other domain once that domain allows it', async () => {
    const [page, sdk] = await open(related);
    const user = { username: 'anna', displayName: 'Anna' };
    const registered = await sdk.register(user, ofDomain);
    expect(registered).toEqual({ answer: expect.objectContaining({ username: 'anna' }) });
    const signedIn = await sdk.authenticate({ username: 'anna' }, ofDomain);
    expect(signedIn).toEqual({ answer: expect.objectContaining({ username: 'anna' }) });
    // Found by the page's origin too, since no other relying party lists it.
    const byOrigin = await sdk.authenticate({ username: 'anna' });
    expect(byOrigin).toEqual({ answer: expect.objectContaining({ username: 'anna' }) });
    await page.close();
  });

  it('is refused by the browser if the domain does not list it, whatever the server answered', async () => {
    const [page, sdk] = await open('https://third.test');
    await store('anna');
    await change({ origins: [`https://${domain}`, 'https://third.test'] });
    const { error } = await sdk.authenticate({ username: 'anna' }, ofDomain);
    expect(error?.kind).toBe('bad_domain');
    await page.close();
  });

  it('is refused by the browser as the sixth name, of which the server warns', async () => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((name) => `https://${name}.test`);
    await store('anna');
    await change({ relatedOrigins: [...five, related] });
    const [page, sdk] = await open(related);
    const { error } = await sdk.authenticate({ username: 'anna' }, ofDomain);
    expect(error?.kind).toBe('bad_domain');
    await change({ relatedOrigins: [related, ...five] });
    const again = await sdk.register({ username: 'ben', displayName: 'Ben' }, ofDomain);
    expect(again).toEqual({ answer: expect.objectContaining({ username: 'ben' }) });
    await page.close();
  });

  it('does not affect a page of the domain itself', async () => {
    const [page, sdk] = await open(`https://${domain}`);
    const user = { username: 'cleo', displayName: 'Cleo' };
    expect((await sdk.register(user)).answer?.username).toBe('cleo');
    expect((await sdk.authenticate({ username: 'cleo' })).answer?.username).toBe('cleo');
    await page.close();
  });

  it('moves users to a successor and gives them a key of their own', async () => {
    const [page, sdk] = await open(related);
    const next = await beginMoveOf('mona', sdk);
    // A browser that refuses to create a key without a prompt, and then creates it with one.
    const moved = await sdk.evaluate<{ rpId: string; asked: string[]; username: string }>(`{
      const asked = [];
      PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true });
      const { create } = navigator.credentials;
      navigator.credentials.create = ({ mediation = 'prompt', publicKey, signal }) => {
        asked.push(mediation);
        return mediation === 'prompt'
          ? create.call(navigator.credentials, { publicKey, signal })
          : Promise.reject(new DOMException('not now', 'NotAllowedError'));
      };
      const fido = sdk.createClient();
      const answer = await fido.authenticate({ username: 'mona' });
      const made = await fido.move(answer);
      const again = await fido.move(await fido.authenticate({ username: 'mona' }));
      return { rpId: answer.signals.rpId, username: made.username, asked, again };
    }`);
    expect(moved).toEqual({ rpId: domain, username: 'mona', asked: ['conditional', 'prompt'] });
    expect((await sdk.authenticate({ username: 'mona' })).answer?.username).toBe('mona');
    const tenancy = server.get(TenancyService);
    await tenancy.changeRelyingParty(server.call, 'acme', next, { predecessor: null });
    await tenancy.removeRelyingParty(server.call, 'acme', domain);
    expect((await sdk.authenticate({ username: 'mona' })).answer?.username).toBe('mona');
    await page.close();
  });

  /** A browser that neither creates a key without a prompt nor refuses to. The user signs in and moves. */
  const UNDECIDED = `{
    globalThis.asked = [];
    PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true });
    const { create } = navigator.credentials;
    navigator.credentials.create = ({ mediation = 'prompt', publicKey, signal }) => {
      asked.push([mediation, publicKey.timeout]);
      return mediation === 'prompt'
        ? create.call(navigator.credentials, { publicKey, signal })
        : new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
    };
    const fido = sdk.createClient();
    const answer = await fido.authenticate({ username: 'mona' });
    await globalThis.pause?.(answer);
    return (await fido.move(answer))?.username ?? null;
  }`;

  it.each([
    ['prompts after eight seconds', 0, 8_000, 'mona', 52_000],
    ['prompts for what is left of the ceremony', 30_000, 8_000, 'mona', 22_000],
    ['prompts for nothing if the machine slept through most of the ceremony', 0, 50_000, null, 0],
    ['does nothing if it is called late', 45_000, 0, null, 0],
  ])('move() %s', async (_, pause, wait, username, timeout) => {
    const [page, sdk] = await open(related);
    await beginMoveOf('mona', sdk);
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1_000);
    await page.exposeFunction('pause', () => page.clock.fastForward(pause));
    const moved = sdk.evaluate(UNDECIDED);
    if (wait > 0) {
      await page.waitForFunction('globalThis.asked?.length === 1');
      await page.clock.fastForward(wait);
    }
    expect(await moved).toBe(username);
    const asked = wait > 0 ? [['conditional', 10_000]] : [];
    expect(await page.evaluate('asked')).toEqual(
      username ? [...asked, ['prompt', timeout]] : asked,
    );
    await page.close();
  });

  it('stops move() while the browser still handles the signals of the sign-in', async () => {
    const [page, sdk] = await open(related);
    await beginMoveOf('mona', sdk);
    const kind = await sdk.evaluate(`{
      PublicKeyCredential.signalAllAcceptedCredentials = () => new Promise(() => {});
      const fido = sdk.createClient();
      const moved = fido.move(await fido.authenticate({ username: 'mona' }));
      fido.abort();
      return moved.catch(({ kind }) => kind);
    }`);
    expect(kind).toBe('aborted');
    await page.close();
  });

  /** Registers a user at the domain, and begins a move to the page's own domain, whose name it returns. */
  async function beginMoveOf(username: string, sdk: Sdk): Promise<string> {
    const { error } = await sdk.register({ username, displayName: username }, ofDomain);
    expect(error).toBeUndefined();
    await change({ policy: { registration: 'ticket' } });
    const next = new URL(related).hostname;
    await server.addRelyingParty('acme', { domain: next, predecessor: domain });
    return next;
  }

  /** A page of an origin, with a virtual device; it loads the SDK from its own origin. */
  async function open(origin: string): Promise<[Page, Sdk]> {
    const page = await context.newPage();
    await page.goto(`${origin}/sdk/servicefido.d.ts`);
    await VirtualAuthenticator.add(page);
    return [page, new Sdk(page, origin)];
  }

  function change(changes: ChangeRelyingPartyDto) {
    return server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, changes);
  }

  /** Stores a user with a key of the domain, which no device has. */
  function store(username: string) {
    return settle(server, relyingPartyOf(server, domain), [{ username }]);
  }
});
