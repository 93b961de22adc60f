import type { Page } from 'playwright-core';
import { AdminClient } from '../support/admin-client.js';
import { TestServer } from '../support/test-server.js';
import { VirtualAuthenticator } from './support/authenticator.js';
import { openBrowser, type SuiteBrowser } from './support/browser.js';
import { OtherSite } from './support/other-site.js';
import { Sdk } from './support/sdk.js';

const passkey = { residentKey: 'required' } as const;

describe('the SDK’s sign-in without a name', () => {
  let server: TestServer;
  let shop: OtherSite;
  let browser: SuiteBrowser;
  let page: Page;
  let sdk: Sdk;

  beforeAll(async () => {
    [server, shop, browser] = await Promise.all([
      TestServer.start(),
      OtherSite.open(),
      openBrowser(),
    ]);
    shop.content = '<label>Name <input name="username"></label>';
  });
  afterAll(async () => {
    await browser.close();
    await Promise.all([server.stop(), shop.close()]);
  });
  beforeEach(async () => {
    page = await (await browser.newContext()).newPage();
    await page.goto(shop.address('localhost'));
    sdk = new Sdk(page, server.url);
  });
  afterEach(() => page.context().close());

  it('identifies the user by the passkey in signIn()', async () => {
    await registered('ada');
    expect((await sdk.signIn()).answer).toMatchObject({ username: 'ada', userVerified: true });
  });

  it('the SDK’s sign-in without a name waits in the field in autofill(), and signs in the user who chooses a passkey', async () => {
    await registered('grace');
    const { answer } = await sdk.autofill();
    expect(answer).toMatchObject({ username: 'grace', token: expect.any(String) });
    const field = page.locator('input');
    expect(await field.getAttribute('autocomplete')).toBe('username webauthn');
  });

  it('a sign-in without a name keeps the field’s own autocomplete', async () => {
    await registered('keeps');
    const told = (autocomplete: string) =>
      page.locator('input').evaluate((input, value) => {
        input.setAttribute('autocomplete', value);
      }, autocomplete);
    for (const [before, after] of [
      ['section-login email', 'section-login email webauthn'],
      ['off', 'username webauthn'],
      ['username webauthn', 'username webauthn'],
    ] as const) {
      await told(before);
      await sdk.autofill();
      expect(await page.locator('input').getAttribute('autocomplete')).toBe(after);
    }
  });

  it('the SDK’s sign-in without a name begins again before each challenge expires on a page open for an hour', async () => {
    await registered('patient');
    // The clocks of the server and of the page advance together; nothing waits.
    await page.exposeFunction('later', (ms: number) => server.clock.advance(ms));
    await page.clock.install();
    const done = sdk.autofill({}, { before: WATCH });
    await until('globalThis.seen?.waiting === 1');
    for (let minutes = 0, waits = 1; minutes < 60; minutes += 8) {
      server.clock.advance(8 * 60_000);
      await page.clock.runFor(8 * 60_000);
      waits += 1;
      await until(`seen.waiting === ${waits}`);
    }
    await page.evaluate('pick()');
    expect((await done).answer).toMatchObject({ username: 'patient' });
    expect(await page.evaluate('seen.begun')).toBe(9);
  });

  it('sends no request while the page is hidden, and begins again when it is visible', async () => {
    await registered('hidden');
    await page.clock.install();
    const done = sdk.autofill({}, { before: WATCH });
    await until('globalThis.seen?.waiting === 1');
    const show = (hidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await show(true);
    server.clock.advance(3_600_000);
    await page.clock.runFor(3_600_000);
    expect(await page.evaluate('seen.begun')).toBe(1);
    await show(false);
    await until('seen.waiting === 2');
    await page.evaluate('pick()');
    expect((await done).answer).toMatchObject({ username: 'hidden' });
  });

  it('retries a server that is unavailable for a while', async () => {
    await registered('outage');
    await page.clock.install();
    const before = `${WATCH}
      const up = options.fetch;
      options.fetch = (url, init) =>
        globalThis.down ? Promise.reject(new TypeError('offline')) : up(url, init);`;
    const done = sdk.autofill({}, { before });
    await until('globalThis.seen?.waiting === 1');
    await page.evaluate('globalThis.down = true');
    await page.clock.runFor(500_000);
    await page.evaluate('globalThis.down = false');
    await page.clock.runFor(60_000);
    await until('seen.waiting === 2');
    await page.evaluate('pick()');
    expect((await done).answer).toMatchObject({ username: 'outage' });
  });

  it('the SDK’s sign-in without a name waits for a Retry-After longer than a timer allows', async () => {
    await registered('turned-away');
    await page.clock.install();
    const before = `${WATCH}
      const up = options.fetch;
      const away = { status: 429, headers: { 'Retry-After': '9999999' } };
      options.fetch = (url, init) => {
        if (!globalThis.busy) return up(url, init);
        globalThis.turnedAway = (globalThis.turnedAway ?? 0) + 1;
        return Promise.resolve(new Response('{}', away));
      };`;
    const done = sdk.autofill({}, { before });
    await until('globalThis.seen?.waiting === 1');
    await page.evaluate('globalThis.busy = true');
    await page.clock.runFor(500_000);
    await until('globalThis.turnedAway > 0');
    await page.clock.runFor(60_000);
    expect(await page.evaluate('turnedAway')).toBe(1);
    await page.evaluate('globalThis.busy = false');
    await page.clock.fastForward(86_400_000);
    await until('seen.waiting === 2');
    await page.evaluate('pick()');
    expect((await done).answer).toMatchObject({ username: 'turned-away' });
  });

  it('signs in from each of two tabs that wait at once', async () => {
    const [first] = [sdk, await registered('tab one')];
    const other = await page.context().newPage();
    await other.goto(shop.address('localhost'));
    [page, sdk] = [other, new Sdk(other, server.url)];
    await registered('tab two');
    const waiting = sdk.autofill({}, { before: WATCH });
    await until('globalThis.seen?.waiting === 1');
    expect((await first.autofill()).answer).toMatchObject({ username: 'tab one' });
    expect((await first.signIn()).answer).toMatchObject({ username: 'tab one' });
    await page.evaluate('pick()');
    expect((await waiting).answer).toMatchObject({ username: 'tab two' });
  });

  it('replaces a challenge that other tabs evicted, and prompts again', async () => {
    await registered('crowd');
    const done = sdk.autofill({}, { before: WATCH });
    await until('globalThis.seen?.waiting === 1');
    for (let n = 0; n < 4; n += 1) {
      const body = JSON.stringify({ mediation: 'conditional' });
      await page.evaluate(`fetch('${server.url}/fidoapi/authenticate/begin', {
        method: 'POST', credentials: 'include', body: '${body}',
        headers: { 'Content-Type': 'application/json' },
      }).then((answer) => answer.text())`);
    }
    await page.evaluate('pick()');
    expect((await done).answer).toMatchObject({ username: 'crowd' });
    expect(await page.evaluate('seen.begun')).toBe(2);
  });

  it('prefers a typed name to the waiting request', async () => {
    await registered('typed');
    const after = `
      await new Promise((go) => setTimeout(function look() {
        globalThis.seen?.waiting ? go() : setTimeout(look, 5);
      }));
      globalThis.named = client.authenticate({ username: 'typed' });`;
    const { error } = await sdk.autofill({}, { before: WATCH, after });
    expect(error?.kind).toBe('aborted');
    expect(await page.evaluate('named')).toMatchObject({ username: 'typed' });
    expect(await page.evaluate('seen.asked')).toEqual(['conditional', undefined]);
  });

  it('the SDK’s sign-in without a name ends the waiting request by abort() and by the caller’s signal', async () => {
    await registered('stops');
    const waiting = `
      await new Promise((go) => setTimeout(function look() {
        globalThis.seen?.waiting ? go() : setTimeout(look, 5);
      }));`;
    const stopped = await sdk.autofill({}, { before: WATCH, after: `${waiting} client.abort();` });
    expect(stopped.error?.kind).toBe('aborted');
    const signal = 'const controller = new AbortController(); call.signal = controller.signal;';
    const before = `globalThis.seen = undefined; ${WATCH} ${signal}`;
    const left = await sdk.autofill({}, { before, after: `${waiting} controller.abort();` });
    expect(left.error?.kind).toBe('aborted');
  });

  /** The signals from the page to the browser, which also supports them. */
  const LISTEN = `globalThis.told = [];
    for (const name of ['AllAcceptedCredentials', 'CurrentUserDetails', 'UnknownCredential']) {
      const signal = PublicKeyCredential['signal' + name];
      PublicKeyCredential['signal' + name] = (options) => {
        const done = signal.call(PublicKeyCredential, options);
        told.push(done.then(() => [name, options]));
        return done;
      };
    }`;
  const told = () => page.evaluate<[string, object][]>('Promise.all(told)');

  it('signals the existing passkeys and the user’s names to the browser', async () => {
    const device = await registered('signals');
    const options = { displayName: 'Signals B.', ...passkey };
    const usb = await VirtualAuthenticator.add(page, { transport: 'usb' });
    await device.setPresence(false);
    const second = await sdk.register({ username: 'signals', ...options }, { before: LISTEN });
    const { signals } = second.answer ?? {};
    expect(signals?.allAcceptedCredentialIds).toHaveLength(2);
    const { rpId, userId, allAcceptedCredentialIds, name, displayName } = signals ?? {};
    expect(await told()).toEqual([
      ['AllAcceptedCredentials', { rpId, userId, allAcceptedCredentialIds }],
      ['CurrentUserDetails', { rpId, userId, name, displayName }],
    ]);
    expect(displayName).toBe('Signals B.');
    expect([await device.keys(), await usb.keys()]).toEqual([1, 1]);
  });

  it('signals an unknown passkey only after a sign-in without a name', async () => {
    const device = await VirtualAuthenticator.add(page);
    const lost = `options.fetch = (url, init) =>
      url.endsWith('register/complete') ? Promise.reject(new TypeError('lost')) : fetch(url, init);`;
    await sdk.register({ username: 'lost', displayName: 'Lost', ...passkey }, { before: lost });
    expect(await device.keys()).toBe(1);
    const { error } = await sdk.signIn({}, { before: LISTEN });
    expect(error).toMatchObject({ errorCode: 'E0033R', unknownCredential: { rpId: 'localhost' } });
    expect(await told()).toEqual([['UnknownCredential', error?.unknownCredential]]);
    expect(await device.keys()).toBe(0);
  });

  it('signals nothing in browsers without signals', async () => {
    await registered('plain');
    const before = `for (const name of Object.getOwnPropertyNames(PublicKeyCredential)) {
      if (name.startsWith('signal')) delete PublicKeyCredential[name];
    }`;
    expect((await sdk.signIn({}, { before })).answer).toMatchObject({ username: 'plain' });
  });

  const capable = (conditionalCreate: boolean) => `
    PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: ${conditionalCreate} });`;

  it('creates a passkey in upgrade() after another sign-in, without a prompt', async () => {
    const device = await registered('upgrade');
    const { token } = (await sdk.signIn()).answer ?? {};
    const usb = await VirtualAuthenticator.add(page, { transport: 'usb' });
    await device.setPresence(false);
    const before = `${capable(true)}
      const { create } = navigator.credentials;
      navigator.credentials.create = ({ mediation, publicKey }) => {
        globalThis.mediation = mediation;
        return create.call(navigator.credentials, { publicKey });
      };`;
    const user = { username: 'upgrade', displayName: 'Upgrade', ...passkey };
    const { answer } = await sdk.upgrade({ ...user, token }, { before });
    expect(answer).toMatchObject({ username: 'upgrade' });
    expect(await page.evaluate('mediation')).toBe('conditional');
    expect(await usb.keys()).toBe(1);
    expect((await sdk.upgrade(user, { before })).error).toMatchObject({ errorCode: 'E0043R' });
  });

  it('does nothing in upgrade() if the browser cannot or will not upgrade', async () => {
    await registered('left');
    const { token } = (await sdk.signIn()).answer ?? {};
    const user = { username: 'left', displayName: 'Left', token };
    const asked = `${WATCH} navigator.credentials.create = () => {
      throw new DOMException('not now', 'NotAllowedError');
    };`;
    for (const before of [capable(false), `${capable(true)} ${asked}`, capable(true)]) {
      expect(await sdk.upgrade(user, { before })).toEqual({});
    }
  });

  it('reports "unsupported" in a browser without passkeys in autofill', async () => {
    const before =
      'PublicKeyCredential.getClientCapabilities = async () => ({ conditionalGet: false });';
    expect((await sdk.autofill({}, { before })).error?.kind).toBe('unsupported');
  });

  const OLDER_CALL = 'PublicKeyCredential.isConditionalMediationAvailable = async () => true;';
  it.each([
    ['have another name for it', 'async () => ({ conditionalMediation: true })'],
    ['fail to name their capabilities', '() => Promise.reject(new TypeError())'],
  ])('waits in the field in browsers that %s', async (_, capabilities) => {
    await registered('safari');
    const before = `${OLDER_CALL} PublicKeyCredential.getClientCapabilities = ${capabilities};`;
    expect((await sdk.autofill({}, { before })).answer).toMatchObject({ username: 'safari' });
    expect(await sdk.evaluate('sdk.capabilities()')).toMatchObject({
      conditionalGet: true,
      userVerifyingPlatformAuthenticator: true,
    });
  });

  it('reports "unsupported" in a browser that fails to say whether it has autofill', async () => {
    const before = `delete PublicKeyCredential.getClientCapabilities;
      PublicKeyCredential.isConditionalMediationAvailable = () => Promise.reject(new TypeError());`;
    expect((await sdk.autofill({}, { before })).error?.kind).toBe('unsupported');
  });

  describe('in immediate mode', () => {
    /** Lets the browser have the mode or not; `found` is whether it finds a passkey. */
    const mode = (immediateGet: boolean, found = true) => `
      globalThis.seen = { paths: [], modes: [] };
      PublicKeyCredential.getClientCapabilities = async () => ({ immediateGet: ${immediateGet} });
      const { get } = navigator.credentials;
      navigator.credentials.get = ({ publicKey, uiMode }) => {
        seen.modes.push(uiMode);
        return ${found}
          ? get.call(navigator.credentials, { publicKey })
          : Promise.reject(new DOMException('no passkey', 'NotAllowedError'));
      };
      options.fetch = (url, init) => {
        seen.paths.push(url.split('/fidoapi/')[1]);
        return fetch(url, init);
      };`;
    const seen = () => page.evaluate('seen');

    it('the immediate sign-in passes the mode and signs the user in', async () => {
      await registered('imogen');
      const { answer } = await sdk.signIn({ immediate: true }, { before: mode(true) });
      expect(answer).toMatchObject({ username: 'imogen' });
      const paths = ['authenticate/begin', 'authenticate/complete'];
      expect(await seen()).toEqual({ paths, modes: ['immediate'] });
    });

    it('the immediate sign-in is undefined and no failure without a passkey', async () => {
      const outcome = await sdk.signIn({ immediate: true }, { before: mode(true, false) });
      expect(outcome).toEqual({});
      expect(await seen()).toEqual({ paths: ['authenticate/begin'], modes: ['immediate'] });
    });

    it('the immediate sign-in is undefined and calls nothing in a browser without the mode', async () => {
      const outcome = await sdk.signIn({ immediate: true }, { before: mode(false) });
      expect(outcome).toEqual({});
      expect(await seen()).toEqual({ paths: [], modes: [] });
    });

    it('the immediate sign-in rejects if the server refuses its result', async () => {
      await registered('ingrid');
      await new AdminClient(server.url).manage({ type: 'disableall', filter: 'ingrid' });
      const { error } = await sdk.signIn({ immediate: true }, { before: mode(true) });
      expect(error).toMatchObject({ kind: 'server', errorCode: 'E0034R' });
    });
  });

  async function registered(username: string) {
    const device = await VirtualAuthenticator.add(page);
    const { answer } = await sdk.register({ username, displayName: username, ...passkey });
    expect(answer?.username).toBe(username);
    return device;
  }

  function until(expression: string) {
    return page.waitForFunction(expression);
  }
});

/** Counts the begin calls and the prompts of the page, and holds `conditional` prompts back. */
const WATCH = `
  globalThis.seen ??= { begun: 0, asked: [], waiting: 0 };
  const { get } = navigator.credentials;
  navigator.credentials.get = (options) => {
    seen.asked.push(options.mediation);
    const chosen = globalThis.choose ?? options.mediation !== 'conditional';
    if (chosen) return get.call(navigator.credentials, { publicKey: options.publicKey });
    seen.waiting += 1;
    return new Promise((_, fail) => {
      globalThis.pick = () => {
        globalThis.choose = true;
        get.call(navigator.credentials, { publicKey: options.publicKey }).then(_, fail);
      };
      options.signal.addEventListener('abort', () => fail(options.signal.reason));
    });
  };
  const begun = options.fetch ?? fetch;
  options.fetch = (url, init) => {
    if (url.endsWith('authenticate/begin')) seen.begun += 1;
    return begun(url, init);
  };`;
