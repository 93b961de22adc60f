/**
 * An OpenID provider for tests, in a process of its own: `node provider.mjs PORT`. It signs in the user of its state
 * without asking. `POST /_test/state` changes the state, `POST /_test/rotate` replaces the keys, and
 * `POST /_test/logout-token` signs a logout token with the given claims.
 */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { randomUUID } from 'node:crypto';
import { SignJWT, exportJWK, generateKeyPair, importJWK } from 'jose';
import { Provider } from 'oidc-provider';

const port = Number(process.argv[2]);
const issuer = `http://localhost:${port}`;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

const state = {
  clients: [],
  user: { sub: 'u1', preferred_username: 'anna', groups: [], amr: ['pwd'] },
  /** Users whose refresh tokens give other claims than at the sign-in. */
  users: {},
  refresh: true,
  /** The claim `auth_time` in place of the session's; `null` omits it. */
  authTime: 'session',
  /** Whether the ID token has the groups, not only the userinfo endpoint. */
  groupsInIdToken: false,
  /** How many times tokens were asked for, by grant. */
  grants: {},
  /** How many times the token endpoint was called. */
  tokenRequests: 0,
  /** Whether the token endpoint answers with an error of its own, and the same for the userinfo endpoint. */
  broken: false,
  isUserInfoBroken: false,
  /** Whether the token endpoint has too many requests. */
  isBusy: false,
  sid: undefined,
};
let signing;
let callback;

async function newKey() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  signing = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' };
}

function build() {
  const provider = new Provider(issuer, {
    clients: state.clients,
    jwks: { keys: [signing] },
    cookies: { keys: ['test'] },
    claims: {
      openid: ['sub', 'acr', 'amr', 'auth_time'],
      profile: ['preferred_username', 'groups'],
      email: ['email'],
    },
    conformIdTokenClaims: !state.groupsInIdToken,
    acrValues: ['phr'],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    issueRefreshToken: async () => state.refresh,
    rotateRefreshToken: true,
    interactions: { url: (_, { uid }) => `/_login/${uid}` },
    async findAccount(_, sub) {
      state.users[sub] ??= state.user;
      return { accountId: sub, claims: async () => ({ sub, ...state.users[sub] }) };
    },
    async loadExistingGrant(ctx) {
      const { client, session } = ctx.oidc;
      const grant = new ctx.oidc.provider.Grant({
        accountId: session.accountId,
        clientId: client.clientId,
      });
      grant.addOIDCScope('openid profile email offline_access');
      await grant.save();
      return grant;
    },
  });
  provider.on('authorization.success', ({ oidc }) => {
    state.sid = oidc.session.sidFor(oidc.client.clientId);
  });
  provider.on('grant.success', ({ oidc }) => {
    const grant = oidc.params.grant_type;
    state.grants[grant] = (state.grants[grant] ?? 0) + 1;
  });
  const { prototype } = provider.IdToken;
  const { payload } = prototype;
  prototype.payload = async function () {
    const claims = await payload.call(this);
    return state.authTime === 'session'
      ? claims
      : { ...claims, auth_time: state.authTime ?? undefined };
  };
  callback = provider.callback();
  return provider;
}

let provider;

async function control(request, response) {
  const body = await json(request).catch(() => ({}));
  const answer = (content) => response.end(JSON.stringify(content));
  if (request.url === '/_test/state') {
    Object.assign(state, body);
    if (body.clients !== undefined || body.groupsInIdToken !== undefined) provider = build();
    const { sid, grants, tokenRequests } = state;
    return answer({ sid, grants, tokenRequests });
  }
  if (request.url === '/_test/rotate') {
    await newKey();
    provider = build();
    return answer({});
  }
  const { alg = 'RS256', kid = signing.kid, ...claims } = body;
  const content = {
    iss: issuer,
    aud: state.clients[0].client_id,
    iat: Math.floor(Date.now() / 1000),
    jti: randomUUID(),
    events: { [LOGOUT_EVENT]: {} },
    ...claims,
  };
  const present = Object.entries(content).filter(([, value]) => value !== null);
  const token = new SignJWT(Object.fromEntries(present));
  token.setProtectedHeader({ alg, kid, typ: 'logout+jwt' });
  const secret = new TextEncoder().encode(state.clients[0].client_secret);
  const key = alg === 'HS256' ? secret : await importJWK(signing);
  return answer({ token: await token.sign(key) });
}

async function login(request, response) {
  const { sub, amr, acr } = state.user;
  state.users[sub] = state.user;
  const result = { login: { accountId: sub, amr, acr, remember: true } };
  await provider.interactionFinished(request, response, result);
}

await newKey();
provider = build();
const server = createServer((request, response) => {
  if (request.url.startsWith('/_test/')) return control(request, response);
  if (request.url.startsWith('/_login/')) return login(request, response);
  if (request.url.startsWith('/token')) state.tokenRequests += 1;
  const isBroken =
    (state.broken && request.url.startsWith('/token')) ||
    (state.isUserInfoBroken && request.url.startsWith('/me'));
  if (isBroken) {
    response.statusCode = 503;
    return response.end();
  }
  if (state.isBusy && request.url.startsWith('/token')) {
    response.writeHead(429, { 'retry-after': '30', 'content-type': 'application/json' });
    return response.end('{"error":"slow_down"}');
  }
  return callback(request, response);
});
server.listen(port, '127.0.0.1', () => console.log('ready'));
