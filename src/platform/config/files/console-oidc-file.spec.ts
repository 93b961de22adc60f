import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '../../project.js';
import { collectMistakes } from '../option-types.js';
import { readConsoleOidc } from './console-oidc-file.js';

const FILE = {
  name: 'Example Login',
  issuer: 'https://login.example.com/',
  address: 'https://fido.example.com',
  client: { id: 'servicefido', secret: 'secret' },
  groups: [{ group: 'admins', role: 'admin' }],
};

describe('the file of --console-oidc', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const write = (name: string, content: string | Buffer): string => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  function read(changes: object) {
    const path = write('oidc.yaml', JSON.stringify({ ...FILE, ...changes }));
    const mistakes: string[] = [];
    const found = collectMistakes(mistakes, () => readConsoleOidc({ consoleOidc: path }));
    return {
      found,
      mistakes: mistakes.map((text) => text.replace(`--console-oidc: ${path}: `, '')),
    };
  }

  it('the file of --console-oidc is not read without the option', () => {
    expect(readConsoleOidc({ consoleOidc: undefined })).toBeUndefined();
  });

  it('the example of the file of --console-oidc can be read', () => {
    const example = readConsoleOidc({ consoleOidc: projectPath('config/console-oidc.yaml') });
    expect(example?.groups).toHaveLength(3);
    expect(example?.scopes).toEqual(['openid', 'profile', 'offline_access']);
  });

  it('keeps the issuer exactly as it is written', () => {
    expect(read({}).found?.issuer).toBe('https://login.example.com/');
  });

  it('takes the secret from a file, without the line break at its end', () => {
    const secretFile = write('secret', 'from a file\n');
    expect(read({ client: { id: 'x', secretFile } }).found?.client.secret).toBe('from a file');
  });

  it.each(['rsa', 'ec'] as const)('takes a private key in PEM, %s', (type) => {
    const { privateKey } =
      type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const privateKeyFile = write('key.pem', pem);
    const { found } = read({ client: { id: 'x', privateKeyFile, keyId: 'k1' } });
    expect(found?.client.privateKey?.equals(privateKey)).toBe(true);
  });

  it('changes its version with the table, but not with the secret', () => {
    const version = (changes: object) => read(changes).found?.version;
    expect(version({ client: { id: 'servicefido', secret: 'other' } })).toBe(version({}));
    expect(version({ groups: [{ group: 'admins', role: 'auditor' }] })).not.toBe(version({}));
  });

  it.each<[string, object, string]>([
    ['an unknown member', { group: [] }, 'the file has "group", which means nothing'],
    ['no name', { name: undefined }, 'name must be a text of at most 500 characters'],
    ['plain HTTP', { issuer: 'http://a.example' }, 'issuer must be an address that begins with'],
    ['a password in the issuer', { issuer: 'https://a:b@c.example' }, 'issuer must have no user'],
    ['an address with a path', { address: 'https://a.example/x' }, 'address must have no path'],
    ['no secret', { client: { id: 'x' } }, 'client needs one of "secret", "secretFile" and'],
    [
      'two secrets',
      { client: { id: 'x', secret: 'a', privateKeyFile: projectPath('package.json') } },
      'client needs one of "secret", "secretFile" and',
    ],
    ['no groups', { groups: [] }, 'groups must be a list of groups'],
    ['a group without a role', { groups: [{ group: 'a' }] }, 'groups[0].role must be one of admin'],
    [
      'an unknown role',
      { groups: [{ group: 'a', role: 'root' }] },
      'groups[0].role must be one of',
    ],
    [
      'a group of no tenants',
      { groups: [{ group: 'a', role: 'admin', tenants: [] }] },
      'groups[0].tenants must name a tenant',
    ],
    [
      'a second factor in words',
      { groups: [{ group: 'a', role: 'admin', secondFactor: 'yes' }] },
      'groups[0].secondFactor must be true or false',
    ],
    ['scopes without openid', { scopes: ['profile'] }, 'scopes must contain openid'],
    ['proofs that are no list', { proofs: { acr: 'phr' } }, 'proofs.acr must be a list of texts'],
  ])('refuses %s with a sentence', (_, changes, sentence) => {
    expect(read(changes).mistakes.join('\n')).toContain(sentence);
  });

  it('refuses a private key that cannot be used, without quoting it', () => {
    const privateKeyFile = write('key.pem', 'a secret text');
    const { mistakes } = read({ client: { id: 'x', privateKeyFile } });
    expect(mistakes.join()).toContain('client.privateKeyFile must hold a private key in PEM');
    expect(mistakes.join()).not.toContain('a secret text');
  });
});
