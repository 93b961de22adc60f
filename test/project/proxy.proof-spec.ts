import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { findProgram } from '../../scripts/lib/services/programs.mjs';
import { projectPath } from '../../src/platform/project.js';
import { Authenticator } from '../../packages/testing/src/authenticator.js';
import type { CreationOptions, RequestOptions } from '../../packages/testing/src/ceremony-json.js';
import { eventually } from '../support/eventually.js';
import { describeWith } from '../support/needs.js';
import { OwnTls } from '../support/own-tls.js';
import { freePort, ServerProcess } from '../support/server-process.js';

const HOST = 'fido.example.com';
const ORIGIN = `https://${HOST}`;

describeWith('nginx')('deploy/nginx and deploy/systemd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-nginx-'));
  const tls = new OwnTls();
  let server: ServerProcess;
  let nginx: ChildProcess;
  let port: number;

  beforeAll(async () => {
    const config = join(folder, 'servicefido.yaml');
    writeFileSync(config, `domain: ${HOST}\nissuer: ${ORIGIN}\n`);
    server = new ServerProcess(optionsOfUnit(config));
    await server.start();
    port = await freePort();
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, nginxConfig());
    const args = ['-p', folder, '-e', 'stderr', '-c', file];
    nginx = spawn(findProgram('nginx') ?? '', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    await eventually(() => post('/fidoapi/authenticate/begin', {}));
  });
  afterAll(async () => {
    const ended = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await ended;
    await server.remove();
    tls.remove();
    rmSync(folder, { recursive: true });
  });

  it('a user registers and signs in through nginx, and the cookie is Secure', async () => {
    const authenticator = new Authenticator();
    const page = { origin: ORIGIN };
    const begun = await post('/fidoapi/register/begin', { username: 'alice', displayName: 'A' });
    expect(begun).toMatchObject({ status: 200, setCookie: expect.stringContaining('; Secure') });
    const created = authenticator.create(begun.body as CreationOptions, page);
    const [cookie = ''] = begun.setCookie.split(';');
    expect(await post('/fidoapi/register/complete', created, cookie)).toMatchObject({
      status: 200,
    });
    const asked = await post('/fidoapi/authenticate/begin', { username: 'alice' }, cookie);
    const signed = authenticator.get(asked.body as RequestOptions, page);
    expect(await post('/fidoapi/authenticate/complete', signed, cookie)).toMatchObject({
      status: 200,
      body: { username: 'alice' },
    });
  });

  it.each([
    ['an import', '/userapi/import', 3 * 2 ** 30, 401],
    ['another large body', '/fidoapi/register/begin', 66 * 2 ** 20, 413],
  ])(
    'nginx lets the server decide about an import, and refuses other large bodies: %s',
    async (_, path, length, status) => {
      const call = request({
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        servername: HOST,
        rejectUnauthorized: false,
        headers: {
          host: HOST,
          'content-type': 'multipart/form-data; boundary=x',
          'content-length': length,
        },
      });
      call.flushHeaders();
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      expect(answer.statusCode).toBe(status);
      call.destroy();
    },
  );

  /** A call of a page at the public address. */
  async function post(path: string, body: object, cookie = '') {
    const call = request({
      host: '127.0.0.1',
      port,
      path,
      method: 'POST',
      servername: HOST,
      rejectUnauthorized: false,
      headers: { host: HOST, origin: ORIGIN, 'content-type': 'application/json', cookie },
    }).end(JSON.stringify(body));
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    const [setCookie = ''] = answer.headers['set-cookie'] ?? [];
    return { status: answer.statusCode, setCookie, body: await json(answer) };
  }

  /** The shipped server block, with the addresses of this test, in a whole configuration. */
  function nginxConfig(): string {
    const block = readFileSync(projectPath('deploy/nginx/servicefido.conf'), 'utf8')
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('127.0.0.1:8080', new URL(server.url).host.replace('localhost', '127.0.0.1'))
      .replace('/etc/nginx/fido.example.com.pem', tls.options.tlsCert)
      .replace('/etc/nginx/fido.example.com.key', tls.options.tlsKey);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    return `daemon off; master_process off; pid ${folder}/nginx.pid; events {}
       http { access_log off; ${temporary.join(' ')} ${block} }`;
  }
});

/** The options that the unit of systemd starts the server with, with another config file and data folder. */
function optionsOfUnit(config: string): string[] {
  const unit = readFileSync(projectPath('deploy/systemd/servicefido.service'), 'utf8');
  const [command = ''] = /(?<=^ExecStart=).*/m.exec(unit) ?? [];
  const [, , ...options] = command.split(' ');
  options[options.indexOf('--config') + 1] = config;
  options.splice(options.indexOf('--data'), 2);
  return options;
}
