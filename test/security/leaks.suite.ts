import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { PageCompletion } from '../../src/platform/pages/page.interceptor.js';
import { projectPath } from '../../src/platform/project.js';
import { HTML, adminClient, Client } from '../support/client.js';
import { UPLOAD, postList } from '../support/list-upload.js';
import { Places } from '../support/settled-users.js';
import { TestServer } from '../support/test-server.js';

const MARKUP = '<script>alert(1)</script>';

describe('request data in answers and logs', () => {
  let server: TestServer;
  let client: Client;
  let places: Places;
  beforeAll(async () => {
    server = await TestServer.start();
    client = new Client(server.url);
    places = new Places(server);
  });
  afterAll(() => server.stop());

  it.each(['unknown"><b>.example', MARKUP, 'https://unknown.example/<b>', '{{7*7}}'])(
    'an answer does not repeat the relying-party header %j',
    async (value) => {
      const answer = await client.post(
        '/fidoapi/register/begin',
        { username: 'alice', displayName: 'Alice' },
        { 'x-servicefido-relyingparty': value },
      );
      expect(answer.status).toBe(400);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      const said = answer.text.replace(String(answer.body['requestId']), '');
      expect(said).not.toMatch(/<|unknown\.example|49|7\*7/);
    },
  );

  it.each([`/${MARKUP}`, `/%3Cscript%3Ealert(1)`, '/{{7*7}}', '/%zz', '/nothing?x="><b>'])(
    'the error page at %s does not repeat the request',
    async (path) => {
      const answer = await client.get(path, { ...HTML, 'x-note': MARKUP });
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(answer.text).toContain('<h1');
      const said = answer.text.replaceAll(String(answer.headers.get('x-request-id')), '');
      expect(said).not.toMatch(/alert\(1\)|7\*7|49|%zz|"><b>/);
    },
  );

  it('an error page that cannot be rendered becomes an empty answer, and the server goes on', async () => {
    const fault = new Error('There is no head.');
    jest.spyOn(server.get(PageCompletion), 'head').mockRejectedValueOnce(fault);
    const { status, text, headers } = await client.get('/nothing', HTML);
    expect([status, text]).toEqual([500, '']);
    const line = server.loggedOf(headers.get('x-request-id'));
    expect(line).toMatchObject({ code: 'E0050R', msg: fault.message });
    expect((await client.get('/nothing', HTML)).status).toBe(404);
  });

  it('a path with line ends, escapes or separators cannot forge a log line', async () => {
    const before = server.logged.length;
    await client.get('/fidoapi/%0d%0a%1b[31m%e2%80%a8{"level":60,"forged":true}', {
      'user-agent': 'agent {"forged":true}',
    });
    const lines = server.logged.slice(before);
    // Jobs of the server log too, but not about a request.
    expect(lines.filter((line) => 'requestId' in line)).toHaveLength(1);
    expect(lines.filter((line) => 'forged' in line)).toEqual([]);
  });

  it('an uploaded list is not served at any path', async () => {
    const here = await places.open('anna');
    const { uploadId } = (await postList(here, UPLOAD, 'anna\nsecret-name\n')).body;
    const names = [String(uploadId), 'list.txt'];
    const folders = [UPLOAD, '/upload', '/uploads', '/static', '/files', '/tmp', '/data', ''];
    for (const path of folders.flatMap((folder) => names.map((name) => `${folder}/${name}`))) {
      const answer = await adminClient(server.url).get(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.text).not.toContain('secret-name');
    }
  });

  it('a slow reader gets a long list completely and does not delay others', async () => {
    const names = Array.from({ length: 5000 }, (_, n) => `reader-${n}-${'x'.repeat(200)}`);
    const here = await places.open(...names);
    const { hostname, port } = new URL(server.url);
    const headers = { ...here.headers, connection: 'close', host: `${hostname}:${port}` };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET /userapi/users.csv HTTP/1.1\r\n${lines.join('')}\r\n`);
    await once(socket, 'readable');
    for (let n = 0; n < 20; n += 1) expect((await client.get('/health/live')).status).toBe(200);
    let text = '';
    for await (const piece of socket.setEncoding('utf8')) text += String(piece);
    expect(new Set(text.match(/reader-\d+/g)).size).toBe(names.length);
  });
});

/** Markup that a template writes as it is: a page that was rendered before, and the form of oidc-provider. */
const WRITTEN_AS_IT_IS: Readonly<Record<string, readonly string[]>> = {
  'layout.hbs': ['body'],
  'oidc-message.hbs': ['form'],
};

describe('page templates', () => {
  const folder = projectPath('views');
  const templates = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.hbs'));

  it.each(templates)('the template %s writes data only into quoted attributes and text', (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const written = [...text.matchAll(/\{\{\{(\w+)/g)].map(([, data]) => data);
    expect(written).toEqual(WRITTEN_AS_IT_IS[name] ?? []);
    expect(text.match(/<(?:script|style)(?![^>]* src=)[^>]*>/g)).toBeNull();
    expect(text.match(/\s[\w-]+=\{\{/g)).toBeNull();
    expect(text.match(/\son\w+=/g)).toBeNull();
  });
});
