import { readFileSync } from 'node:fs';
import { errorOfAnswer } from '../../packages/browser/src/errors.js';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { bearer, issueKey, keyClient } from '../support/application-keys.js';
import { adminClient, type Answer } from '../support/client.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

const { beginAuthentication: BEGIN, completeAuthentication: COMPLETE } = PATHS.certify;
const SHOP = 'shop.example';

/** Rows of the table of docs/errors.md: mistake, code, reason, and what "Explain a refusal" shows. */
const TABLE = readFileSync('docs/errors.md', 'utf8')
  .split('## The usual mistakes')[1]
  ?.split('\n## ')[0]
  ?.matchAll(/^\| (?!Mistake|-)(.+?) +\| (E\w+) +\| `(.+?)` +\| (.*?) +\|$/gm);
const ROWS = [...(TABLE ?? [])].map(([, ...cells]) => cells as [string, string, string, string]);

describe('the usual mistakes', () => {
  let server: TestServer;
  let secret: string;
  let reader: string;
  beforeAll(async () => {
    server = await TestServer.start();
    await server.addRelyingParty('default', {
      domain: SHOP,
      origins: [`https://${SHOP}`],
    });
    await server.addRelyingParty('default', { domain: 'other.example' });
    await page().register('alice');
    const of = { tenant: 'default', relyingParties: [SHOP] };
    ({ secret } = await issueKey(server.url, { ...of, scopes: ['ceremonies'] }));
    ({ secret: reader } = await issueKey(server.url, { ...of, scopes: ['users:read'] }));
  });
  afterAll(() => server.stop());

  const { authenticator } = new FidoClient('');

  it('the usual mistakes are the rows of the table in docs/errors.md', () => {
    expect(ROWS.map(([mistake]) => mistake)).toEqual(Object.keys(mistakes()));
  });

  it.each(ROWS)(
    'names cause and remedy of %s in the answer, the SDK, the log and Explain',
    async (mistake, code, reason, words) => {
      const answer = await mistakes()[mistake]?.();
      if (!answer) throw new Error('The table of docs/errors.md has a row without a test.');
      const { requestId, errorMessage = '' } = answer.body;
      expect(answer.body).toMatchObject({ errorCode: code, reason });

      const inSdk = errorOfAnswer(new Response(null, { status: answer.status }), answer.body);
      expect(inSdk).toMatchObject({ message: errorMessage, reason, requestId });

      const line = server.loggedOf(requestId);
      expect(line).toMatchObject({ code, reason, errorMessage });

      await server.get(RefusalLog).flush();
      const explained = await adminClient(server.url).get(`/userapi/explain?request=${requestId}`, {
        accept: 'text/html',
      });
      expect(wordsOf(explained.text)).toContain(words === 'the sentence' ? errorMessage : words);
    },
  );

  function begin(headers: Record<string, string>, body: unknown = { username: 'alice' }) {
    return page().post(BEGIN, body, headers);
  }

  /** Begins a sign-in and completes it with a response that `change` has made wrong. */
  async function complete(
    change: (response: Record<string, unknown>) => object,
    headers: Record<string, string> = {},
  ) {
    const client = page();
    const begun = await client.beginAuthentication('alice');
    return client.post(COMPLETE, change({ ...client.assert(begun) }), headers);
  }

  function member(name: string, change: (text: string) => string) {
    return (one: object) => {
      const { response } = one as { response: Record<string, string> };
      return { ...one, response: { ...response, [name]: change(String(response[name])) } };
    };
  }

  /** A result call after a begin call with an application key. */
  async function afterKey(members: readonly string[], headers: Record<string, string>) {
    const begun = await backend().post(BEGIN, { username: 'alice' });
    const sent = Object.fromEntries(members.map((name) => [name, begun.body[name]]));
    return page().post(COMPLETE, { ...page().assert(begun), ...sent }, headers);
  }

  function page() {
    return new FidoClient(server.url, { relyingParty: SHOP, authenticator });
  }

  function backend() {
    return keyClient(server.url, secret, SHOP);
  }

  function mistakes(): Record<string, () => Promise<Answer>> {
    return {
      'a mistyped or revoked application key': () => begin(bearer(`${secret.slice(0, -1)}`)),
      'the variable of the key is not set': () => begin({ authorization: 'Bearer undefined' }),
      'a key without the permission `ceremonies`': () => begin(bearer(reader)),
      'a key that does not cover the relying party': () =>
        begin({ ...bearer(secret), 'x-servicefido-relyingparty': 'other.example' }),
      'a body that is not sent as JSON': () =>
        begin({ 'content-type': 'application/x-www-form-urlencoded' }, 'username=alice'),
      'a body that is not JSON': () => begin({}, '{username: "alice"}'),
      'a GET': () => page().get(BEGIN),
      'a mistyped path': () => page().post(`${BEGIN}s`, {}),
      'a relying party that does not exist': () =>
        begin({ 'x-servicefido-relyingparty': 'shpo.example', origin: `https://${SHOP}` }),
      'a relying party that is no domain': () =>
        begin({ 'x-servicefido-relyingparty': 'my shop', origin: `https://${SHOP}` }),
      'a user name that ends with a space': () => begin({}, { username: 'alice ' }),
      'an audience that the policy does not list': () =>
        begin({}, { username: 'alice', audience: 'https://api.example' }),
      'the cookie of the begin call is not sent back': async () => {
        const response = page().assert(await page().beginAuthentication('alice'));
        return page().post(COMPLETE, response);
      },
      'an application key in the begin call alone': () => afterKey(['ceremony'], {}),
      'an application key, and no `ceremony`': () => afterKey([], bearer(secret)),
      'a result that is sent twice': async () => {
        const client = page();
        const body = client.assert(await client.beginAuthentication('alice'));
        await client.completeAuthentication(body);
        return client.completeAuthentication(body);
      },
      'the result of a sign-in at `register/complete`': async () => {
        const client = page();
        const body = client.assert(await client.beginAuthentication('alice'));
        return client.completeRegistration(body);
      },
      'the result call names another relying party': () =>
        complete((body) => body, { 'x-servicefido-relyingparty': 'other.example' }),
      'the challenge of another session': async () => {
        const body = page().assert(await page().beginAuthentication('alice'));
        const client = page();
        await client.beginRegistration('bob');
        return client.completeAuthentication(body);
      },
      'Base64URL with padding': () => complete(member('signature', (text) => `${text}=`)),
      'plain Base64': () =>
        complete(member('authenticatorData', (text) => base64(text).replace(/=*$/, '+/'))),
      'the challenge is encoded twice': async () => {
        const client = page();
        const begun = await client.beginAuthentication('alice');
        const challenge = Buffer.from(String(begun.body['challenge'])).toString('base64url');
        return client.completeAuthentication(client.assert(begun, { clientData: { challenge } }));
      },
      'a page at an origin that is not listed': async () => {
        const origin = 'https://www.shop.example';
        return page().signIn('alice', { clientData: { origin } });
      },
      'a page in a frame of another origin': () =>
        page().signIn('alice', { clientData: { crossOrigin: true } }),
      'a proxy that does not send `X-Forwarded-Proto`': () =>
        page().post(COMPLETE, {}, { origin: `https://${SHOP}` }),
    };
  }
});

/** The words of a page as a reader sees them. */
function wordsOf(html: string) {
  return html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&#39;', "'");
}

function base64(text: string) {
  return Buffer.from(text, 'base64url').toString('base64');
}
