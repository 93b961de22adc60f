import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import {
  passkeyRoutes,
  requirePasskey,
  type ParsedRequest,
  type PasskeyHooks,
} from '../../packages/node/src/express.js';
import {
  ServiceFido,
  TokenVerifier,
  type Requirements,
  type VerifierSettings,
} from '../../packages/node/src/index.js';
import { PasskeyGuard } from '../../packages/node/src/nest.js';

const BASE = 'https://fido.example.com';
const verifier = new TokenVerifier({ baseUrl: BASE, audience: 'example.com' });
const fido = new ServiceFido({ baseUrl: BASE, key: 'sfk_test' });

describe('requirements for a sign-in', () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [{ maxage: 60 }, '"maxage" of "requirements" is unknown. Did you mean "maxAge"? Known are '],
    [{ max_age: 60 }, '"max_age" of "requirements" is unknown. Did you mean "maxAge"? Known are '],
    [{ AMR: ['mfa'] }, '"AMR" of "requirements" is unknown. Did you mean "amr"? Known are '],
    [{ level: 3 }, '"level" of "requirements" is unknown. Known are maxAge, acr, amr, nonce, txn.'],
    [{ maxAge: '1' }, '"maxAge" of "requirements" must be a whole number of seconds, at least 0.'],
    [{ maxAge: '1s' }, '"maxAge" of "requirements" must be a whole number'],
    [{ maxAge: Number.NaN }, '"maxAge" of "requirements" must be a whole number'],
    [{ maxAge: Infinity }, '"maxAge" of "requirements" must be a whole number'],
    [{ maxAge: -1 }, '"maxAge" of "requirements" must be a whole number'],
    [{ maxAge: null }, '"maxAge" of "requirements" must be a whole number'],
    [{ maxAge: undefined }, 'at least 0. It is undefined: is the variable set?'],
    [{ acr: 'mfa' }, `"acr" of "requirements" must be 'phr' or 'phrh'.`],
    [{ acr: ['phrh'] }, '"acr" of "requirements" must be'],
    [{ acr: undefined }, '"acr" of "requirements" must be'],
    [{ amr: 'mfa' }, `"amr" of "requirements" must be a list of authentication methods, `],
    [{ amr: [undefined] }, '"amr" of "requirements" must be a list'],
    [{ nonce: undefined }, '"nonce" of "requirements" must be'],
    [{ nonce: '' }, '"nonce" of "requirements" must be'],
    [{ txn: undefined }, '"txn" of "requirements" must be'],
    [60, '"requirements" must be an object with maxAge, acr, amr, nonce, txn.'],
    [['mfa'], '"requirements" must be an object'],
    [null, '"requirements" must be an object'],
    [new Map([['maxAge', 60]]), '"requirements" must be an object'],
  ];

  it.each(wrong)(
    'both guards refuse the requirements %j when they are made, and verify refuses them too',
    async (requirements, message) => {
      const of = requirements as Requirements;
      const refusal = { name: 'TypeError', message: expect.stringContaining(message) as string };
      expect(() => requirePasskey(verifier, of)).toThrow(expect.objectContaining(refusal));
      expect(() => new PasskeyGuard(verifier, of)).toThrow(expect.objectContaining(refusal));
      await expect(verifier.verify('', of)).rejects.toMatchObject(refusal);
    },
  );

  it.each<Requirements>([
    {},
    { maxAge: 0, acr: 'phr', amr: ['mfa'], nonce: 'n', txn: 't' },
    { acr: 'phrh', amr: [] },
  ])('both guards accept the requirements %j', (requirements) => {
    expect(requirePasskey(verifier, requirements)).toBeInstanceOf(Function);
    expect(new PasskeyGuard(verifier, requirements)).toBeInstanceOf(PasskeyGuard);
  });

  it.each([undefined, null, fido, 'sfk_test', {}])(
    'both guards need a TokenVerifier, not %p',
    (other) => {
      const message = /^"verifier" must be a TokenVerifier\./;
      expect(() => requirePasskey(other as TokenVerifier)).toThrow(message);
      expect(() => new PasskeyGuard(other as TokenVerifier)).toThrow(message);
    },
  );
});

describe('settings of a TokenVerifier', () => {
  const VERIFIER = { baseUrl: BASE, audience: 'example.com' };

  it.each<[unknown, RegExp]>([
    [
      { ...VERIFIER, Tenant: 'acme' },
      /^"Tenant" of "settings" is unknown. Did you mean "tenant"\?/,
    ],
    [{ ...VERIFIER, tenant: undefined }, /^"tenant" of "settings" must be .* It is undefined/],
    [
      { ...VERIFIER, tenant: '' },
      /^"tenant" of "settings" must be the short name of the tenant\.$/,
    ],
    [{ ...VERIFIER, issuer: '' }, /^"issuer" of "settings" must be/],
    [{ ...VERIFIER, baseUrl: 'fido.example.com' }, /^"baseUrl" of "settings" must be the address/],
    [{ ...VERIFIER, baseUrl: 'localhost:8080' }, /with its scheme, for example https:/],
    [{ ...VERIFIER, audience: [] }, /^"audience" of "settings" must be/],
    [{ baseUrl: BASE }, /^"audience" of "settings" must be the domain .* It is undefined/],
    [undefined, /^"settings" must be an object with baseUrl, audience/],
  ])('a TokenVerifier is not constructed with the settings %j', (settings, message) => {
    const make = () => new TokenVerifier(settings as VerifierSettings);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });
});

describe('passkeyRoutes', () => {
  const registering = () => undefined;

  it.each<[unknown, unknown, string]>([
    [
      undefined,
      undefined,
      '"fido" must be the client: new ServiceFido({ baseUrl, key }). It is undefined',
    ],
    ['sfk_test', { registering }, '"fido" must be the client'],
    [
      fido,
      undefined,
      '"hooks" must be an object with registering, secondFactor, registered, signedIn.',
    ],
    [fido, {}, '"registering" of "hooks" must be a function. It is undefined'],
    [fido, { registering: true }, '"registering" of "hooks" must be a function.'],
    [
      fido,
      { registering, signedin: registering },
      '"signedin" of "hooks" is unknown. Did you mean "signedIn"?',
    ],
    [
      fido,
      { registering, signedIn: undefined },
      '"signedIn" of "hooks" must be a function. It is undefined',
    ],
  ])('passkeyRoutes refuses wrong arguments: %#', (client, hooks, message) => {
    const make = () => passkeyRoutes(client as ServiceFido, hooks as PasskeyHooks<ParsedRequest>);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  it('passkeyRoutes takes hooks of a class, which may have members of its own', () => {
    class Hooks implements PasskeyHooks<ParsedRequest> {
      constructor(private readonly user: undefined) {}
      registering() {
        return this.user;
      }
    }
    expect(passkeyRoutes(fido, new Hooks(undefined))).toBeInstanceOf(Function);
  });

  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['198.51.100.7:51234', '198.51.100.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]:51234', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['unknown', null],
    ['198.51.100.7, 198.51.100.8', null],
    [undefined, '192.0.2.1'],
  ])('passkeyRoutes names the client %j of a proxy as %j', async (ip, named) => {
    let sent: Headers | undefined;
    const client = new ServiceFido({
      baseUrl: 'http://fido.test',
      key: 'sfk_test',
      fetch: (_, init) => {
        sent = new Headers(init?.headers);
        return Promise.resolve(Response.json({ status: 'ok' }));
      },
    });
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: '192.0.2.1' });
    const request = Object.assign(new IncomingMessage(socket), {
      method: 'POST',
      url: '/authenticate/begin',
      body: {},
      ip,
    }) as ParsedRequest;
    const response = new ServerResponse(request);
    await passkeyRoutes(client, { registering })(request, response, () => undefined);
    expect(sent?.get('X-ServiceFido-Client-Address')).toBe(named);
  });
});
