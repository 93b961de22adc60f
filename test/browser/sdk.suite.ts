import type { Page } from 'playwright-core';
import { AdminClient } from '../support/admin-client.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/test-server.js';
import { VirtualAuthenticator } from './support/authenticator.js';
import { openBrowser, type SuiteBrowser } from './support/browser.js';
import { OtherSite } from './support/other-site.js';
import { Sdk } from './support/sdk.js';

const ada = { username: 'ada', displayName: 'Ada Lovelace' };

describe('the browser SDK', () => {
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
  });
  afterAll(async () => {
    await browser.close();
    await Promise.all([server.stop(), shop.close()]);
  });

  beforeEach(async () => {
    page = await browser.newPage();
    await page.goto(shop.address('localhost'));
    sdk = new Sdk(page, server.url);
  });
  afterEach(() => page.close());

  it('registers and signs in at the server it was loaded from', async () => {
    await VirtualAuthenticator.add(page);
    const registered = await sdk.register({ ...ada, keypair: { name: 'my key' } });
    expect(registered.answer).toMatchObject({ username: 'ada', userVerified: true });

    const { answer } = await sdk.authenticate({ username: 'ada' });
    expect(answer).toMatchObject({
      username: 'ada',
      displayName: 'Ada Lovelace',
      credentialId: registered.answer?.credentialId,
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
  });

  it('reports warnings of a begin call in either ceremony', async () => {
    await VirtualAuthenticator.add(page);
    const user = { username: 'warned', displayName: 'Warned' };
    expect((await sdk.register(user)).answer).not.toHaveProperty('warnings');
    const { answer } = await sdk.authenticate(user);
    expect(answer?.warnings).toEqual([expect.stringContaining('"displayName"')]);
  });

  it('the browser SDK works in browsers without the JSON methods of L3', async () => {
    await VirtualAuthenticator.add(page);
    const before = `
      delete PublicKeyCredential.parseCreationOptionsFromJSON;
      delete PublicKeyCredential.parseRequestOptionsFromJSON;
      delete PublicKeyCredential.prototype.toJSON;
      delete PublicKeyCredential.getClientCapabilities;`;
    const grace = { username: 'grace', displayName: 'Grace Hopper' };
    expect((await sdk.register(grace, { before })).answer?.username).toBe('grace');
    expect((await sdk.authenticate(grace, { before })).answer?.username).toBe('grace');
    expect(await sdk.evaluate('sdk.capabilities()')).toEqual({
      conditionalGet: expect.any(Boolean),
      userVerifyingPlatformAuthenticator: true,
    });
  });

  it('the browser SDK works with credentials whose toJSON() throws, as in some password managers', async () => {
    await VirtualAuthenticator.add(page);
    const before = `PublicKeyCredential.prototype.toJSON = () => {
      throw new TypeError('Illegal invocation');
    };`;
    const user = { username: 'wrapped', displayName: 'Wrapped' };
    expect((await sdk.register(user, { before })).answer?.username).toBe('wrapped');
  });

  it('sends no secret of the prf extension', async () => {
    await VirtualAuthenticator.add(page);
    const sent = await sdk.evaluate(`sdk.toRegistrationJSON({
      type: 'public-key',
      id: 'AQ',
      rawId: new Uint8Array([1]).buffer,
      response: {
        clientDataJSON: new ArrayBuffer(1),
        attestationObject: new ArrayBuffer(1),
      },
      getClientExtensionResults: () => ({
        credProps: { rk: true },
        prf: { enabled: true, results: { first: new ArrayBuffer(32) } },
        largeBlob: { blob: new ArrayBuffer(8) },
      }),
    })`);
    expect(sent).toEqual({
      type: 'public-key',
      id: 'AQ',
      rawId: 'AQ',
      response: { clientDataJSON: 'AA', attestationObject: 'AA', transports: [] },
      clientExtensionResults: { credProps: { rk: true }, prf: { enabled: true } },
    });
  });

  it('returns secrets of the prf extension to the page and sends none to the server', async () => {
    await VirtualAuthenticator.add(page, { hasPrf: true });
    const sent = `const sent = []; options.fetch = (url, init) => {
      sent.push(init.body);
      return fetch(url, init);
    };`;
    const secret = `done.then(({ answer }) => {
      const { enabled, results } = answer.clientExtensionResults.prf;
      globalThis.prf = { enabled, bytes: results?.first.byteLength, sent: sent.at(-1) };
    });`;
    const setup = { before: sent, after: `void ${secret}` };
    const user = { username: 'prf', displayName: 'PRF' };
    await sdk.register({ ...user, residentKey: 'required', extensions: { prf: {} } }, setup);
    expect(await page.evaluate('prf')).toMatchObject({ enabled: true });
    const withoutParser = `${sent} delete PublicKeyCredential.parseRequestOptionsFromJSON;`;
    for (const before of [sent, withoutParser]) {
      const extensions = { prf: { eval: { first: 'c2FsdA' } } };
      await sdk.authenticate({ username: 'prf', extensions }, { ...setup, before });
      const { bytes, sent: body } = await page.evaluate<{ bytes: number; sent: string }>('prf');
      expect(bytes).toBe(32);
      expect(JSON.parse(body)).toMatchObject({ clientExtensionResults: {} });
      expect(body).not.toContain('prf');
    }
  });

  it.each([
    ['with', ''],
    ['without', 'delete PublicKeyCredential.parseRequestOptionsFromJSON;'],
  ])('writes a large blob in a browser %s the JSON methods of L3', async (kind, before) => {
    await VirtualAuthenticator.add(page, { hasLargeBlob: true });
    const user = { username: `blob-${kind}`, displayName: 'Blob' };
    const extensions = { largeBlob: { support: 'required' } };
    await sdk.register({ ...user, residentKey: 'required', extensions });
    const writing = { ...user, extensions: { largeBlob: { write: 'YmxvYg' } } };
    const { answer } = await sdk.authenticate(writing, { before });
    expect(answer?.clientExtensionResults.largeBlob).toEqual({ written: true });
  });

  it('the browser SDK passes on hints, the request for a passkey and the mediation', async () => {
    await VirtualAuthenticator.add(page);
    const before = `globalThis.asked = {};
      for (const method of ['create', 'get']) {
        const original = navigator.credentials[method].bind(navigator.credentials);
        navigator.credentials[method] = ({ publicKey, mediation }) => {
          asked[method] = { mediation, hints: publicKey.hints, ...publicKey.authenticatorSelection };
          return original({ publicKey });
        };
      }`;
    const user = { username: 'hinted', displayName: 'Hinted' };
    await sdk.register({ ...user, hints: ['client-device'], residentKey: 'required' }, { before });
    await sdk.authenticate({ username: 'hinted', mediation: 'required' });
    expect(await page.evaluate('asked')).toMatchObject({
      create: { hints: ['client-device'], residentKey: 'required' },
      get: { mediation: 'required' },
    });
  });

  it('the browser SDK begins again before the ceremony ends while waiting in a form', async () => {
    await VirtualAuthenticator.add(page);
    const user = { username: 'form', displayName: 'Form' };
    await sdk.register(user);
    const before = `globalThis.waited = 0;
      const { get } = navigator.credentials;
      navigator.credentials.get = ({ signal, publicKey }) => waited++ > 0
        ? get.call(navigator.credentials, { publicKey })
        : new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
      options.fetch = async (...call) => {
        const answer = await fetch(...call);
        const body = await answer.json();
        return Response.json(body.timeout && waited === 0 ? { ...body, timeout: 5 } : body);
      };`;
    const { answer } = await sdk.authenticate(
      { username: 'form', mediation: 'conditional' },
      { before },
    );
    expect(answer?.username).toBe('form');
    expect(await page.evaluate('waited')).toBe(2);
  });

  it('sends the idempotency key and the ceremony of a backend’s begin call', async () => {
    await VirtualAuthenticator.add(page);
    const before = `globalThis.last = undefined;
      options.fetch = async (url, init) => {
        last = { key: init.headers['Idempotency-Key'], body: JSON.parse(init.body) };
        const answer = await fetch(url, init);
        return url.endsWith('begin')
          ? Response.json({ ...(await answer.json()), ceremony: 'of a backend' })
          : answer;
      };`;
    const user = { username: 'twin', displayName: 'Twin', idempotencyKey: 'once' };
    await sdk.register(user, { before });
    expect(await page.evaluate('last')).toMatchObject({
      key: 'once',
      body: { type: 'public-key', ceremony: 'of a backend' },
    });
  });

  it('detects the features of the browser', async () => {
    await VirtualAuthenticator.add(page);
    expect(await sdk.evaluate('sdk.isSupported()')).toBe(true);
    expect(await sdk.evaluate('sdk.isAutofillAvailable()')).toEqual(expect.any(Boolean));
    expect(await sdk.evaluate('sdk.capabilities()')).toMatchObject({
      userVerifyingPlatformAuthenticator: true,
    });
  });

  describe('the error of the browser SDK', () => {
    const nobodyThere = { automaticPresenceSimulation: false };
    const untilPrompt = `await new Promise((resolve) => {
      const { create } = navigator.credentials;
      navigator.credentials.create = (options) => {
        resolve();
        return create.call(navigator.credentials, options);
      };
    });`;

    it('the error of the SDK is "unsupported" in a browser without WebAuthn, and the server is not called', async () => {
      const before =
        'Object.defineProperty(globalThis, "PublicKeyCredential", { value: undefined });';
      const { error } = await sdk.register(ada, { before, baseUrl: 'http://localhost:1' });
      expect(error).toMatchObject({ kind: 'unsupported', name: 'ServiceFidoError' });
    });

    it('the error of the SDK is "unsupported" if the browser refuses to parse the options', async () => {
      const before = `options.fetch = async () =>
        Response.json({ status: 'ok', timeout: 1000, challenge: '!', user: { id: 'AQ' } });
        PublicKeyCredential.getClientCapabilities = async () => ({ immediateGet: true });`;
      expect((await sdk.register(ada, { before })).error?.kind).toBe('unsupported');
      const { error } = await sdk.signIn({ immediate: true }, { before });
      expect(error ?? 'no key').toBe('no key');
    });

    it('the error of the SDK is "unsupported" if the result of the prompt cannot be read', async () => {
      const before = 'navigator.credentials.create = async () => ({ id: "odd" });';
      const { error } = await sdk.register({ ...ada, username: 'odd' }, { before });
      expect(error?.kind).toBe('unsupported');
    });

    it.each(['null', '"x"', '<p>'])('server: a proxy answers %s', async (text) => {
      const before = `options.fetch = async () => new Response(${JSON.stringify(text)});`;
      const { error } = await sdk.register(ada, { before });
      expect(error).toMatchObject({ kind: 'server', name: 'ServiceFidoError' });
    });

    it.each(['null', '"x"', '<p>'])(
      'the calls of createKeys() reject with "server" if a proxy answers %s',
      async (text) => {
        const kinds = await page.evaluate(`import('${server.url}/sdk/keys.js').then((sdk) => {
          const fetch = async () => new Response(${JSON.stringify(text)});
          const keys = sdk.createKeys({ token: () => 'x', fetch });
          const calls = [keys.list(), keys.rename('AQ', 'Blue'), keys.remove('AQ'), keys.report('AQ')];
          return Promise.all(calls.map((call) => call.then(() => 'ok', ({ kind }) => kind)));
        })`);
        expect(kinds).toEqual(['server', 'server', 'server', 'server']);
      },
    );

    it('the error of the SDK is "cancelled" if the user does not pass verification', async () => {
      const reported = async () => {
        const { body } = await new AdminClient(server.url, 'localhost').get('/userapi/adoption');
        const errors = body['givenUp'] as { error: string; registrations: number }[];
        return errors.find(({ error }) => error === 'NotAllowedError')?.registrations ?? 0;
      };
      const before = await reported();
      await VirtualAuthenticator.add(page, { isUserVerified: false });
      const { error } = await sdk.register({
        username: 'shy',
        displayName: 'Shy',
        userVerification: 'required',
      });
      expect(error?.kind).toBe('cancelled');
      expect(error?.message).not.toBe('');
      // The SDK reports it to the server, without the page's knowledge.
      await eventually(async () => expect(await reported()).toBeGreaterThan(before));
    });

    it('the error of the SDK is "cancelled" whatever the server answers to the report', async () => {
      await VirtualAuthenticator.add(page, { isUserVerified: false });
      const before = `options.fetch = (...call) =>
        String(call[0]).endsWith('/given-up') ? Promise.reject(new Error('no way')) : fetch(...call);`;
      const shy = { username: 'shy', displayName: 'Shy', userVerification: 'required' } as const;
      expect((await sdk.register(shy, { before })).error?.kind).toBe('cancelled');
    });

    it('the error of the SDK is "timeout" if the prompt is not answered in time', async () => {
      await VirtualAuthenticator.add(page, nobodyThere);
      // Browsers do not accept a timeout this short; only the refusal at its end matters here.
      const before = `navigator.credentials.create = async () => {
        const opened = performance.now();
        while (performance.now() - opened < 5) await new Promise((go) => setTimeout(go, 5));
        throw new DOMException('timed out', 'NotAllowedError');
      };
      options.fetch = async (...call) => {
        const answer = await fetch(...call);
        return Response.json({ ...(await answer.json()), timeout: 1 });
      };`;
      expect((await sdk.register(ada, { before })).error?.kind).toBe('timeout');
    });

    it('the error of the SDK is "aborted" after abort() while the prompt is open', async () => {
      await VirtualAuthenticator.add(page, nobodyThere);
      const after = `${untilPrompt} client.abort();`;
      const { error } = await sdk.register({ ...ada, username: 'stopped' }, { after });
      expect(error?.kind).toBe('aborted');
    });

    it('the error of the SDK is "aborted" after the caller’s signal, with any reason', async () => {
      await VirtualAuthenticator.add(page, nobodyThere);
      const before = 'const controller = new AbortController(); call.signal = controller.signal;';
      const after = `${untilPrompt} controller.abort('a string');`;
      const { error } = await sdk.register({ ...ada, username: 'stopped' }, { before, after });
      expect(error?.kind).toBe('aborted');
    });

    it.each([
      ['the call', '() => true'],
      ['the look for the cause of a failure', `(url) => url.includes('/test')`],
    ])(
      'the error of the SDK is "aborted" after abort() while the server does not answer %s',
      async (_, isSilent) => {
        const after = `await silence; client.abort();`;
        const before = silentServer(isSilent);
        const { error } = await sdk.register({ ...ada, username: 'silence' }, { before, after });
        expect(error?.kind).toBe('aborted');
      },
    );

    it('the error of the SDK is "aborted" if the signal was aborted before the call', async () => {
      const before = 'call.signal = AbortSignal.abort();';
      expect((await sdk.register(ada, { before })).error?.kind).toBe('aborted');
    });

    it('the error of the SDK is "aborted" after a newer call of the same client, which succeeds', async () => {
      await VirtualAuthenticator.add(page);
      const after = `globalThis.newer = client.register({ username: 'twice', displayName: 'T' });`;
      const { error } = await sdk.register({ ...ada, username: 'twice' }, { after });
      expect(error?.kind).toBe('aborted');
      expect(await page.evaluate('newer')).toMatchObject({ username: 'twice' });
    });

    it('the error of the SDK is "already_registered" if the authenticator has an excluded key', async () => {
      const device = await VirtualAuthenticator.add(page);
      const user = { username: 'linus', displayName: 'Linus' };
      await sdk.register(user);
      expect((await sdk.register(user)).error?.kind).toBe('already_registered');
      expect(await device.keys()).toBe(1);
    });

    it('the error of the SDK is "bad_domain" if the page has another domain than the relying party', async () => {
      await server.addRelyingParty('default', {
        domain: 'other.example',
        origins: ['http://localhost:*'],
      });
      const { error } = await sdk.register(ada, { relyingParty: 'other.example' });
      expect(error?.kind).toBe('bad_domain');
    });

    it('the error of the SDK is "busy" while another request of the page is pending', async () => {
      await VirtualAuthenticator.add(page, nobodyThere);
      const before = `
        navigator.credentials.get({
          mediation: 'conditional',
          publicKey: { challenge: new Uint8Array(32), rpId: 'localhost' },
        }).catch(() => undefined);`;
      const { error } = await sdk.register({ ...ada, username: 'busy' }, { before });
      expect(error?.kind).toBe('busy');
    });

    it('the error of the SDK is "network" if the server is unreachable', async () => {
      const { error } = await sdk.register(ada, { baseUrl: 'http://localhost:1' });
      expect(error?.kind).toBe('network');
    });

    it('the error of the SDK is "network" if the server does not say why a call failed', async () => {
      await page.clock.install();
      const before = silentServer(`(url) => url.includes('/test')`);
      const done = sdk.register(ada, { before, after: 'await silence;' });
      await page.waitForFunction('globalThis.isSilent');
      await page.clock.runFor(5_000);
      expect((await done).error?.kind).toBe('network');
    });

    it('the error of the SDK is "expired" if the prompt was answered after the ceremony expired', async () => {
      await VirtualAuthenticator.add(page);
      await page.exposeFunction('later', () => server.clock.advance(61_000));
      const before = `options.fetch = async (url, init) => {
        if (url.endsWith('complete')) await later();
        return fetch(url, init);
      };`;
      const { error } = await sdk.register({ ...ada, username: 'late' }, { before });
      expect(error).toMatchObject({ kind: 'expired', errorCode: 'E0024R', status: 408 });
    });

    it('the error of the SDK is "expired" if the cookie of the begin call was not sent', async () => {
      await VirtualAuthenticator.add(page);
      const before = `options.fetch = (url, init) =>
        fetch(url, url.endsWith('complete') ? { ...init, credentials: 'omit' } : init);`;
      const { error } = await sdk.register({ ...ada, username: 'lost' }, { before });
      expect(error).toMatchObject({ kind: 'expired', errorCode: 'E0024R' });
    });

    it('the error of the SDK is "server" for a signature that does not verify', async () => {
      const device = await VirtualAuthenticator.add(page);
      const user = { username: 'forger', displayName: 'Forger' };
      await sdk.register(user);
      await device.breakSignatures();
      const { error } = await sdk.authenticate(user);
      expect(error).toMatchObject({ kind: 'server', errorCode: 'E0032R', status: 401 });
    });

    it('the error of the SDK is "server" for an unknown user, with the request’s ID', async () => {
      const { error } = await sdk.authenticate({ username: 'nobody' });
      expect(error).toMatchObject({ kind: 'server', status: 403, requestId: expect.any(String) });
      expect(error?.errorCode).toBeUndefined();
    });

    it('the error of the SDK is "server" for an unknown relying party, with the existing ones', async () => {
      const { error } = await sdk.register(ada, { relyingParty: 'unknown.example' });
      expect(error).toMatchObject({
        kind: 'server',
        errorCode: 'E0025R',
        domains: expect.arrayContaining(['localhost']),
      });
    });
  });
});

/**
 * A server that is unreachable, and does not answer some calls before they are aborted.
 *
 * @param isSilent JavaScript that selects these calls by their address
 */
const silentServer = (isSilent: string) => `
  const silence = new Promise((begin) => {
    options.fetch = (url, { signal }) => new Promise((_, fail) => {
      if (!(${isSilent})(url)) return fail(new TypeError('offline'));
      signal?.addEventListener('abort', () => fail(signal.reason));
      globalThis.isSilent = true;
      begin();
    });
  });`;
