import { readFileSync, writeFileSync } from 'node:fs';
import { languages } from '../../src/platform/pages/languages/languages.js';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { BrowserClient, type Shown } from '../support/browser-client.js';
import { FidoClient } from '../support/fido-client.js';
import { textsOf } from '../support/page-texts.js';
import { settle } from '../support/settled-users.js';
import { ProjectCopy } from '../support/project-copy.js';
import { relyingPartyOf } from '../support/rows.js';
import { ServerProcess } from '../support/server-process.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const OTHERS = languages.filter((language) => language !== 'en');

describe('console pages in another language', () => {
  let server: TestServer;
  const clients = new Map<string, BrowserClient>();

  beforeAll(async () => {
    server = await TestServer.start();
    await settle(server, relyingPartyOf(server, 'localhost'), [
      { username: 'ada', devices: ['Security key', 'Phone'] },
    ]);
    await new FidoClient(server.url).beginAuthentication('nobody');
    await server.get(RefusalLog).flush();
    for (const language of languages) {
      const client = new BrowserClient(server.url);
      client.cookies.set('servicefido-language', language);
      await client.signIn(ADMIN.user, ADMIN.password);
      clients.set(language, client);
    }
  });
  afterAll(() => server.stop());

  it.each(pages())(
    'the page of %s contains no English text in another language',
    async (_, path) => {
      const english = await open('en', path);
      expect(english.text).toContain('<html lang="en">');
      const texts = new Set(textsOf(english.text));
      expect(texts.size).toBeGreaterThan(20);
      for (const language of OTHERS) {
        const other = await open(language, path);
        expect(other.text).toContain(`<html lang="${language}">`);
        expect(other.header('vary')).toMatch(/Accept-Language.*Cookie/);
        expect(textsOf(other.text).filter((text) => texts.has(text) && !isSame(text))).toEqual([]);
      }
    },
  );

  /** Sends a form in English and German, and compares what is answered. */
  async function compare(path: string, fields: Record<string, string>): Promise<string> {
    const shown = [];
    for (const language of ['en', 'de']) {
      const client = clients.get(language) as BrowserClient;
      await client.open('/userapi/user?rp=localhost&name=ada');
      shown.push(await client.submit(path, fields));
    }
    const [english, german] = shown.map(({ text }) => textsOf(text));
    expect(german?.filter((text) => english?.includes(text) && !SAME.has(text))).toEqual([]);
    return shown[1]?.text ?? '';
  }

  it('the answers to forms contain no English text in German', async () => {
    const ada = { name: 'ada', rp: 'localhost' };
    expect(await compare('/userapi/user', { ...ada, action: 'disable-all' })).toMatch(
      /Alle Schlüssel sind gesperrt|Es wurde nichts geändert/,
    );
    const invited = await compare('/userapi/user/invitations', {
      ...ada,
      minKeys: '2',
      hours: '1',
    });
    expect(invited).toContain('Mit diesem Link richten Sie 2 Schlüssel ein');
    const both = { user: 'localhost/ada', action: 'enable-all' };
    expect(await compare('/userapi/bulk/preview', both)).toContain(
      'Schlüssel von 1 Benutzer entsperren?',
    );
    expect(await compare('/userapi/bulk', both)).toContain('Schlüssel entsperrt');
    const user = await clients.get('de')?.open('/userapi/user?rp=localhost&name=ada');
    expect(user?.text).toContain('Benutzer ada bei localhost');
  });

  it('a page uses the best language that the browser accepts', async () => {
    const visitor = new BrowserClient(server.url);
    const ask = async (wish: string) => {
      const { text } = await visitor.open('/console/sign-in', { 'accept-language': wish });
      return /<h1[^>]*>([^<]+)/.exec(text)?.[1];
    };
    expect(await ask('de-CH,de;q=0.9,en;q=0.8')).toBe('Anmelden');
    expect(await ask('fr-CA,de;q=0.5,en;q=0.4')).toBe('Connexion');
    expect(await ask('it,de;q=0.5,en;q=0.4')).toBe('Anmelden');
    expect(await ask('it')).toBe('Sign in');
    visitor.cookies.set('servicefido-language', 'en');
    expect(await ask('de')).toBe('Sign in');
  });

  it('errors are in the language of the browser, and in English for programs', async () => {
    const visitor = new BrowserClient(server.url);
    visitor.cookies.set('servicefido-language', 'de');
    const refused = await visitor.signIn('nobody', 'wrong');
    expect(refused.text).toContain('Der Name oder das Passwort ist falsch.');
    const german = clients.get('de') as BrowserClient;
    await german.open('/console/accounts');
    const faulty = await german.submit('/console/accounts', { name: 'a:b', role: 'admin' });
    expect(faulty.text).toContain('Geben Sie einen Namen ohne Doppelpunkt');
    const answer = await german.fetch('/userapi/nowhere', {
      headers: { accept: 'application/json', 'accept-language': 'de' },
    });
    expect(answer.text).toContain('There is no such path.');
    const done = await german.submit('/console/accounts/admin/_change', { role: 'admin' });
    expect(done.text).toContain('Dieses Konto steht in der Konfiguration des Servers');
  });

  function open(language: string, path: string): Promise<Shown> {
    return (clients.get(language) as BrowserClient).open(path);
  }
});

describe('a language that is added as a file', () => {
  let project: ProjectCopy;
  let server: ServerProcess;

  beforeAll(async () => {
    project = new ProjectCopy([
      'package.json',
      'dist',
      'views',
      'src/platform/database/migrations/baseline',
    ]);
    project.linkPackages();
    const english = readFileSync(project.path('views/languages/en.json'), 'utf8');
    const esperanto = english
      .replace('"English"', '"Esperanto"')
      .replaceAll('"Sign in"', '"Ensaluti"');
    writeFileSync(project.path('views/languages/eo.json'), esperanto);
    server = new ServerProcess([], {}, project.path('dist/main.js'));
    await server.start();
  });
  afterAll(async () => {
    await server.remove();
    project.remove();
  });

  it('an added language is offered on pages and used for browsers that ask for it', async () => {
    const open = (wish: string) =>
      new BrowserClient(server.url).open('/console/sign-in', { 'accept-language': wish });
    const [english, esperanto] = await Promise.all([open('en'), open('eo')]);
    expect(english.text).toMatch(/data-language="eo"[^>]*>Esperanto</);
    expect(esperanto.text).toContain('<html lang="eo">');
    expect(/<h1[^>]*>([^<]+)/.exec(esperanto.text)?.[1]).toBe('Ensaluti');
  });

  it('a page in an added language is English where the language has no text', async () => {
    const visitor = new BrowserClient(server.url);
    visitor.cookies.set('servicefido-language', 'eo');
    const { text } = await visitor.signIn('nobody', 'wrong');
    expect(text).toContain('The name or the password is wrong.');
  });
});

function isSame(text: string) {
  return SAME.has(text) || ID.test(text);
}

/** Pages by what they show; each is asked for in every language. */
function pages(): readonly (readonly [what: string, path: string])[] {
  return [
    ['the own account', '/console/account'],
    ['accounts', '/console/accounts'],
    ['an account', '/console/accounts/admin'],
    ['the list of users', '/userapi'],
    ['a search for users without a match', '/userapi?filter=nobody'],
    ['a filter of users without a match', '/userapi?state=disabled&sort=-used'],
    ['a user', '/userapi/user?rp=localhost&name=ada'],
    ['an unknown user', '/userapi/user?rp=localhost&name=nobody'],
    ['the deletion by a list', '/userapi/deletelistusers'],
    ['refusals of the last day', '/userapi/explain'],
    ['refusals of a name', '/userapi/explain?name=nobody'],
    ['an unknown request', '/userapi/explain?request=none'],
    ['the audit trail', '/userapi/audit'],
    ['the audit trail without a match', '/userapi/audit?account=nobody'],
    ['a missing page', '/nowhere'],
  ];
}

/** Words that English and another language have. */
const SAME = new Set([
  ...['Administration', 'Browser', 'Demo', 'Name', 'Server', 'Status', 'System', 'USB'],
  ...['Action', 'Adoption', 'Attestation', 'Sessions', 'Type'],
  ...['Deutsch', 'English', 'Français', 'Fido', 'Service'],
  ...['Localhost', 'Phone', 'invitation', 'admin', 'admin, 127.0.0.1', 'default', 'localhost'],
]);

/** IDs of what other tests here changed, in the audit trail. */
const ID = /^[\w-]{22}$/;
