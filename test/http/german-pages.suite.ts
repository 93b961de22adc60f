import { readFileSync } from 'node:fs';
import { projectPath } from '../../src/platform/project.js';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { EVENT_KINDS, EVENT_SENTENCES } from '../../src/events/event.entity.js';
import { translate } from '../../src/platform/pages/languages/languages.js';
import { adminClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

const CATALOGUE = readFileSync(projectPath('views/languages/de.json'), 'utf8');
const AREAS = Object.keys(JSON.parse(CATALOGUE) as object);
/** What a page shows if the language has no text of this name. */
const WITHOUT_TEXT = new RegExp(`\\b(?:${AREAS.join('|')}):(?!read|write)[a-z]\\w*[.\\w]*`, 'g');
const NO_BREAK = /\u00A0/g;

describe('pages in German', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start({ options: { mds: ['upload'] } });
    await new FidoClient(server.url).register('ada');
  });
  afterAll(() => server.stop());

  it.each(germanPages())(
    'the page %s is in the language of the browser',
    async (path, title, ...says) => {
      const today = server.clock.today();
      const { status, text } = await read(path.replace('TODAY', today));
      expect(status).toBe(200);
      expect(text).toContain('<html lang="de">');
      expect(text).toContain(`<title>${title}`);
      expect(text.match(WITHOUT_TEXT)).toBeNull();
      for (const words of says) expect(text).toContain(words);
    },
  );

  it('the English pages describe each kind of event as webhooks do', () => {
    const said = EVENT_KINDS.map((kind) => translate('en', `tenants:webhooks.kinds.${kind}`));
    expect(said).toEqual(EVENT_KINDS.map((kind) => EVENT_SENTENCES[kind]));
  });

  it('German pages explain the errors of a form, and refusals', async () => {
    const form = await adminClient(server.url).send('/tenants/default/localhost', {
      method: 'POST',
      headers: {
        accept: 'text/html',
        'accept-language': 'de',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({
        name: 'Local',
        origins: 'http://localhost:*',
        'maxCredentials.mode': 'enforce',
        maxCredentials: '0',
      }).toString(),
    });
    expect(form.status).toBe(400);
    expect(form.text).toContain('Geben Sie eine ganze Zahl von 1 bis 100 ein.');
    await new FidoClient(server.url).beginAuthentication('nobody');
    await server.get(RefusalLog).flush();
    // The page keeps its counts for a moment.
    await eventually(async () =>
      expect((await read('/')).text).toContain('Unbekannter Benutzername'),
    );
  });

  it.each([
    ['/userapi/audit?from=nonsense', '„nonsense“ in der Adresse dieser Seite ist nicht gültig.'],
    ['/userapi/invoices?month=nonsense', '„nonsense“ in der Adresse'],
    ['/userapi?registeredBefore=nonsense', '„nonsense“ in der Adresse'],
    ['/userapi/events?from=nonsense', '„nonsense“ in der Adresse'],
    ['/userapi/invoices/nonsense', '„nonsense“ in der Adresse'],
    ['/userapi/invoice?date=2999-01-01', 'Für einen Tag in der Zukunft gibt es keine Rechnung.'],
  ])('a German page explains what is wrong with the address %s', async (path, says) => {
    const { status, text } = await read(path);
    expect(status).toBe(400);
    expect(text.replaceAll(/<\/?bdi>/g, '')).toContain(says);
  });

  it('the German page of the audit trail translates the facts of a row', async () => {
    const client = adminClient(server.url);
    const issued = {
      name: 'Shop',
      tenant: 'default',
      scopes: ['ceremonies'],
      expiresAt: '2099-01-31T12:30:00.000Z',
    };
    await client.post('/tenantapi/keys', { ...issued, relyingParties: ['localhost'] });
    const { text } = await read('/userapi/audit');
    for (const [fact, value] of [
      ['beginnt mit', 'sfk_'],
      ['darf', 'ceremonies'],
      ['Relying Partys', 'localhost'],
      ['läuft ab am', '31. Januar 2099 um 12:30 UTC'],
    ])
      expect(text).toContain(`<dt>${fact}</dt><dd>${value}`);
    const english = await client.get('/userapi/audit', { accept: 'text/html' });
    expect(english.text).toContain('31 January 2099 at 12:30 UTC');
  });

  it('the German page of the audit trail writes changes in the words of the pages', async () => {
    const client = adminClient(server.url);
    const yubiKey = 'ee882879-721c-4913-9775-3dfcce97072a';
    const change = (path: string, body: object) => client.patch(path, body);
    await change('/tenantapi/tenants/default/relying-parties/localhost', {
      policy: {
        userVerification: { mode: 'enforce', value: 'required', when: 'both', from: '2027-01-15' },
        block: [yubiKey],
        status: { mode: 'report', REVOKED: 'accept' },
      },
      colour: '#1f6feb',
      origins: ['http://localhost:*', 'https://localhost'],
    });
    await change('/userapi/adoption/targets/localhost', { share: 80, by: '2099-01-31' });
    const { text } = await read('/userapi/audit');
    const changed = /<dt>(.*?)<\/dt><dd><span class="changes">(.*?)<\/dd>/g;
    const changes = [...text.matchAll(changed)].map(([, what, values = '']) =>
      `${what}: ${values}`.replaceAll(/<[^>]*>/g, ''),
    );
    expect(changes).toEqual(
      expect.arrayContaining([
        'Benutzerprüfung: nicht gesetzt → erzwungen: ist Pflicht; bei Anmeldungen ab 15. Januar 2027',
        'Blockierte Modelle: nicht gesetzt → erzwungen: YubiKey 5 Series',
        'Status in den Metadaten: nicht gesetzt → nur gemeldet: Widerrufen: zulassen',
        'Farbe: nicht gesetzt → #1f6feb',
        'erlaubte Origins: http://localhost:*, https://localhost:* → http://localhost:*, https://localhost',
        'Ziel der Verbreitung: nicht gesetzt → 80 % bis 31. Januar 2099',
      ]),
    );
  });

  it('files and JSON remain in English for a German browser', async () => {
    const client = adminClient(server.url);
    const german = { 'accept-language': 'de' };
    const csv = await client.get('/userapi/invoice', { ...german, accept: 'text/csv' });
    expect(csv.text).toContain('"49.00"');
    const json = await client.get('/userapi/invoice?date=2999-01-01', german);
    expect(json.body['errorMessage']).toBe('The parameter "date" must not be in the future.');
  });

  async function read(path: string) {
    const headers = { accept: 'text/html', 'accept-language': 'de-AT, en;q=0.5' };
    const { status, text } = await adminClient(server.url).get(path, headers);
    return { status, text: text.replace(NO_BREAK, ' ') };
  }
});

/** Pages of the console, with their titles and some of their texts. */
function germanPages(): readonly (readonly [path: string, title: string, ...says: string[]])[] {
  return [
    ['/', 'Übersicht', 'Letzte Änderungen', 'bei 1 Relying Party', '1 aktiv, 0 gesperrt'],
    ['/userapi/invoice', 'Rechnung bis '],
    ['/userapi/invoice?date=TODAY', 'Rechnung bis ', 'Monat bis einschließlich', '49,00 €'],
    ['/userapi/invoices', 'Gespeicherte Rechnungen', 'Es ist noch keine ausgestellt.'],
    ['/userapi/invoiceest', 'Wie lange eine Rechnung dauert', 'Noch nicht gezählte Ereignisse'],
    [
      '/status',
      'Status',
      'Der Server antwortet.',
      'Das Protokoll ist nicht versiegelt.',
      'Attestierungen',
    ],
    ['/tenants', 'Mandanten', 'Mandanten anlegen', 'Erlaubte Origins'],
    ['/tenants/default', 'Default', 'Relying Party hinzufügen', 'Diesen Mandanten löschen'],
    ['/tenants/default/localhost', 'localhost', 'Nicht gesetzt: für alle offen, wie'],
    ['/tenants/default/_keys', 'Anwendungsschlüssel', 'Tickets für eine Registrierung'],
    ['/tenants/default/_webhooks', 'Webhooks von', 'Eine Anmeldung wurde abgelehnt.'],
    ['/userapi/aaguid', 'Modelle', 'Die Positivliste ist aus.', 'Wörtern des Namens'],
    ['/userapi/mds', 'Metadaten', 'Die Metadaten fehlen.', 'Nächste Aktualisierung'],
    ['/adoption', 'Verbreitung', 'Woche für Woche', 'synchronisiert'],
    [
      '/demo',
      'Demo',
      'Passkeys und Sicherheitsschlüssel zum Ausprobieren',
      'Wartet auf Ihren Authenticator',
    ],
    ['/userapi/invoice?date=2025-01-31', 'Rechnung bis 31. Januar 2025'],
    ['/getversion', 'Version', 'U2F-Authenticatoren'],
  ];
}
