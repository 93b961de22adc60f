import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { projectPath } from '../../src/platform/project.js';
import { issueKey } from '../support/application-keys.js';
import { describeWith } from '../support/needs.js';
import { ENROLMENT, ScimClient } from '../support/scim-client.js';
import { TestServer } from '../support/test-server.js';

const execute = promisify(execFile);
const DOCS = readFileSync(projectPath('docs/scim.md'), 'utf8');
const BY_HAND = /```sh\n(SCIM=[^]*?)```/.exec(DOCS)?.[1] ?? '';
const EXAMPLE = /```json\n([^]*?)```/.exec(DOCS)?.[1] ?? '';

describeWith('curl')('the examples of docs/scim.md', () => {
  let server: TestServer;
  let secret: string;
  beforeAll(async () => {
    server = await TestServer.start({ options: { scim: true, domain: 'localhost' } });
    ({ secret } = await issueKey(server.url, { tenant: 'default', scopes: ['scim'] }));
  });
  afterAll(() => server.stop());

  it('create, find, suspend and delete a user by hand', async () => {
    const script = BY_HAND.replace('http://localhost:8080', server.url);
    const env = { ...process.env, SERVICEFIDO_KEY: secret };
    const { stdout } = await execute('bash', ['-euc', script], { env });
    const [created, found, suspended, ...more] = stdout
      .replaceAll('}{', '}\n{')
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(created).toMatchObject({ userName: 'alice', externalId: '9f3a', active: true });
    expect(found).toMatchObject({ totalResults: 1, Resources: [created] });
    expect(suspended).toMatchObject({ userName: 'alice', active: false });
    expect(more).toEqual([]);
    const directory = new ScimClient(server.url, secret, {
      tenant: 'default',
      domain: 'localhost',
    });
    expect((await directory.call('GET', '/Users?count=0')).body).toMatchObject({ totalResults: 0 });
    const { body } = await directory.call('POST', '/Users', EXAMPLE);
    expect(body).toHaveProperty([ENROLMENT, 'enrolmentUrl']);
  });
});
