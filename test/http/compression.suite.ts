import { readFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { projectPath } from '../../src/platform/project.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const OWN = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' };
const BROWSER = { 'accept-encoding': 'gzip, deflate, br, zstd', accept: 'text/html' };
const BASIC = Buffer.from(`${ADMIN.user}:${ADMIN.password}`).toString('base64');
const STYLES = '/static/css/servicefido.css';

describe('the compression of answers', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ options: { console: 'basic' } });
  });
  afterAll(() => server.stop());

  /** The answer as it was sent: `fetch` would decompress it, and sends `Sec-Fetch-Mode` itself. */
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>(
      (resolve, reject) => {
        const sent = { ...BROWSER, authorization: `Basic ${BASIC}`, ...headers };
        request(server.url, { path, method, headers: sent }, (answer) => {
          const { statusCode: status, headers: received } = answer;
          buffer(answer).then((body) => resolve({ status, headers: received, body }), reject);
        })
          .on('error', reject)
          .end();
      },
    );
  const encodingOf = async (path: string, headers: Record<string, string>) => {
    const answer = await get(path, headers);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.headers['content-encoding'];
  };

  it.each(['/', '/userapi?filter=ada', '/userapi/audit', '/status', '/docs'])(
    'compresses the page %s only if a page of this server or the reader asked for it',
    async (path) => {
      const navigate = { 'sec-fetch-mode': 'navigate', 'user-agent': 'Mozilla/5.0' };
      expect(await encodingOf(path, OWN)).toBe('br');
      expect(await encodingOf(path, { ...OWN, 'accept-encoding': 'gzip' })).toBe('gzip');
      expect(await encodingOf(path, { ...OWN, 'sec-fetch-site': 'none' })).toBe('br');
      for (const site of ['cross-site', 'same-site'])
        expect(await encodingOf(path, { ...navigate, 'sec-fetch-site': site })).toBeUndefined();
      expect(await encodingOf(path, { 'user-agent': 'Mozilla/5.0' })).toBeUndefined();
    },
  );

  it('says that a page depends on the accepted encodings', async () => {
    const { headers, body } = await get('/userapi', OWN);
    expect(headers.vary).toContain('Accept-Encoding');
    expect(brotliDecompressSync(body).toString()).toContain('</html>');
  });

  it('never compresses an answer for a program', async () => {
    const json = { ...OWN, accept: 'application/json', 'sec-fetch-mode': 'cors' };
    for (const path of ['/userapi/manageusers?type=list', '/userapi/audit', '/tenantapi/tenants'])
      expect(await encodingOf(path, json)).toBeUndefined();
  });

  it('sends the files of pages as the Brotli that the build made', async () => {
    const { headers, body } = await get(STYLES);
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=60',
    });
    const file = readFileSync(projectPath(`views/public${STYLES.slice('/static'.length)}`));
    expect(brotliDecompressSync(body).equals(file)).toBe(true);
    expect(body.equals(brotliCompressSync(file))).toBe(true);
  });

  it('sends files without the headers that only documents need', async () => {
    for (const path of [STYLES, '/assets/uplot/uPlot.min.css', '/sdk/keys.js']) {
      const { headers } = await get(path);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cross-origin-resource-policy']).toMatch(/^(?:same|cross)-origin$/);
      expect(headers['content-security-policy']).toBeUndefined();
    }
    const { status, headers } = await get('/static/nothing.js');
    expect(status).toBe(404);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  it.each(['br', 'identity'])(
    'sends no header of a file that cannot be sent as asked (%s)',
    async (encoding) => {
      const asked = { 'accept-encoding': encoding, 'if-match': '"another"', accept: 'text/html' };
      const { status, headers } = await get(STYLES, asked);
      expect(status).toBe(400);
      expect(headers['content-type']).toContain('text/html');
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      for (const name of ['cache-control', 'last-modified', 'etag'])
        expect(headers[name]).toBeUndefined();
    },
  );

  it('gives each encoding of a file its own validator', async () => {
    const answers = await Promise.all(
      ['br', 'identity'].map((encoding) => get(STYLES, { 'accept-encoding': encoding })),
    );
    const [tag, other] = answers.map(({ headers }) => headers.etag);
    for (const { headers } of answers) expect(headers.vary).toBe('Accept-Encoding');
    expect(tag).not.toBe(other);
    expect((await get(STYLES, { 'if-none-match': tag ?? '' })).status).toBe(304);
    const head = await get(STYLES, {}, 'HEAD');
    expect([head.status, head.headers['content-encoding']]).toEqual([200, 'br']);
  });

  it('reads no file outside the folder of a file', async () => {
    const { status, body } = await get('/static/../../package.json');
    expect(status).toBe(404);
    expect(body.toString()).not.toContain('devDependencies');
  });

  it.each(['/assets/pico/pico.min.css', '/assets/uplot/uPlot.iife.min.js', '/static/js/shell.js'])(
    'compresses %s',
    async (path) => {
      expect(await encodingOf(path, {})).toBe('br');
      expect(await encodingOf(path, { 'accept-encoding': 'gzip' })).toBe('gzip');
    },
  );
});
