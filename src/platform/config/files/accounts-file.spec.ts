import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OptionMistakes, collectMistakes } from '../option-types.js';
import { readAccounts } from './accounts-file.js';

const HASH = `scrypt$${'A'.repeat(22)}$${'B'.repeat(43)}`;

describe('the file of --accounts', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    path = join(directory, 'accounts.yaml');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function read(content: unknown) {
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    const mistakes: string[] = [];
    const options = { accounts: path, adminUser: 'admin' };
    const found = collectMistakes(mistakes, () => readAccounts(options)) ?? new Map();
    const said = mistakes.map((mistake) => mistake.replace(`--accounts: ${path}`, '').trim());
    return { names: [...found.keys()], found, said };
  }

  it('reads no accounts without the option', () => {
    expect(readAccounts({ accounts: undefined, adminUser: 'admin' }).size).toBe(0);
  });

  it('reads accounts from YAML, and a repeated tenant once', () => {
    const { found, said } = read(`
accounts:
  - name: anna
    role: helpdesk
    password: ${HASH}
    tenants: [acme, shop, acme]
  - { name: Käthe Öz, role: auditor, password: ${HASH} }
`);
    expect(said).toEqual([]);
    expect([...found.values()]).toEqual([
      { name: 'anna', role: 'helpdesk', password: HASH, tenants: ['acme', 'shop'] },
      { name: 'Käthe Öz', role: 'auditor', password: HASH },
    ]);
  });

  it('reports all mistakes of the accounts file at once', () => {
    const good = { name: 'anna', role: 'helpdesk', password: HASH };
    const { said } = read({
      accounts: [
        good,
        { ...good, role: 'root' },
        { ...good, name: 'a:b', rôle: 'x' },
        { ...good, name: 'bert', password: 'secret' },
        { ...good, name: 'carl', tenants: [] },
        { ...good, name: 'cli' },
        { ...good, name: 'admin' },
        good,
        'dora',
        { role: 'admin' },
      ],
    });
    expect(said).toEqual(
      [
        ': accounts[1] needs a "role": admin, helpdesk, lead, finance, auditor',
        ': accounts[2] has "rôle", which means nothing',
        ': accounts[2] needs a "name" without a colon, other than . and ..',
        ': accounts[3] needs a "password" as "./servicefido password hash" prints it',
        `: accounts[4] "tenants" must be a list of tenants' names`,
        ': accounts[5] may not be named anybody or cli or invitation or operator',
        ': accounts[6] has the name of --admin-user',
        ': accounts[7] has the name of another account',
        ': accounts[8] must hold name, role and password',
        ': accounts[9] needs a "name" without a colon, other than . and ..',
        ': accounts[9] needs a "password" as "./servicefido password hash" prints it',
      ].map((line) => line.trim()),
    );
  });

  it.each([
    ['[]', ': must hold a list named "accounts", and nothing else'],
    ['accounts: {}', ': must hold a list named "accounts", and nothing else'],
    ['{accounts: [], users: []}', ': must hold a list named "accounts", and nothing else'],
    ['', ': must hold a list named "accounts", and nothing else'],
    ['"', 'cannot be read as YAML or JSON: line 1, missing char'],
    ['accounts: []\naccounts: []', 'cannot be read as YAML or JSON: line 2, duplicate key'],
  ])('refuses an accounts file with the content %j', (content, mistake) => {
    expect(read(content).said).toEqual([mistake]);
  });

  it('reads accounts whose names have been reserved since version 1.0', () => {
    const names = ['user', 'system', 'policy'];
    const accounts = names.map((name) => ({ name, role: 'auditor', password: HASH }));
    expect(read({ accounts }).names).toEqual(names);
  });

  it('refuses a missing accounts file', () => {
    const absent = join(directory, 'absent.yaml');
    expect(() => readAccounts({ accounts: absent, adminUser: 'admin' })).toThrow(
      new OptionMistakes([`--accounts: ${absent} cannot be read`]),
    );
  });
});
