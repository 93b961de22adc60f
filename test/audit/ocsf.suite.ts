import { AUDIT_ACTIONS } from '../../src/audit/audit-entry.js';
import { ocsfOfRow } from '../../src/audit/audit.ocsf.js';
import type { AuditView } from '../../src/audit/audit.answer.js';
import { ocsfOfEvent } from '../../src/events/event.ocsf.js';
import { EVENT_KINDS } from '../../src/events/event.entity.js';
import { EventNumbering } from '../../src/events/numbering/event-numbering.js';
import { PRODUCT_VERSION } from '../../src/platform/project.js';
import { adminClient, type Client } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

type OcsfMembers = Readonly<Record<string, unknown>>;

/** The members that OCSF 1.2.0 requires, by class. */
const REQUIRED: Readonly<Record<number, readonly string[]>> = {
  3001: ['user'],
  3002: ['user', 'service'],
  3004: ['entity'],
  6003: ['actor', 'api', 'src_endpoint'],
};
const OF_ALL = ['activity_id', 'category_uid', 'class_uid', 'metadata', 'severity_id', 'time'];

const ROW: AuditView = {
  seq: 1,
  at: '2026-01-01T00:00:00.000Z',
  account: 'cli',
  role: 'cli',
  address: '',
  action: 'user.delete',
  tenant: null,
  relyingParty: null,
  target: null,
  result: 'ok',
  code: null,
  requestId: 'r1',
  detail: {},
  hash: '00',
};

describe('records of OCSF', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start();
    admin = adminClient(server.url);
  });
  afterAll(() => server.stop());

  it('show a sign-in and a registration of the events', async () => {
    const anna = new FidoClient(server.url);
    await anna.register('anna');
    await anna.signIn('anna');
    server.clock.advance(1000);
    await server.get(EventNumbering).catchUp();
    const { status, body } = await admin.get('/userapi/events?after=0&format=ocsf');
    expect(status).toBe(200);
    expect(body['events']).toEqual([]);
    const records = body['records'] as OcsfMembers[];
    expect(records.map(missingIn)).toEqual(records.map(() => []));
    const types = records.map((record) => record['type_uid']);
    expect(types.slice(0, 3)).toEqual([300101, 300110, 300201]);
    expect(records[2]).toMatchObject({
      class_name: 'Authentication',
      activity_name: 'Logon',
      status_id: 1,
      user: { name: 'anna' },
      service: { name: 'localhost' },
      metadata: {
        version: '1.2.0',
        product: { name: 'ServiceFido', version: PRODUCT_VERSION },
        event_code: 'authentication',
        tenant_uid: 'default',
      },
    });
  });

  it('show rows of the audit trail, read forward or searched', async () => {
    await admin.post('/tenantapi/tenants', { tenant: 'acme' });
    for (const way of ['after=0&', '']) {
      const { body } = await admin.get(`/userapi/audit?${way}format=ocsf`);
      expect(body['entries']).toEqual([]);
      const records = body['records'] as OcsfMembers[];
      expect(records.map(missingIn)).toEqual(records.map(() => []));
      const created = records.find(
        ({ metadata }) => (metadata as OcsfMembers)['event_code'] === 'tenant.create',
      );
      expect(created).toMatchObject({
        class_uid: 3004,
        type_uid: 300401,
        status_id: 1,
        entity: { type: 'tenant', name: 'acme' },
        actor: { user: { name: 'admin', type: 'admin' } },
      });
    }
    expectRefusal(await admin.get('/userapi/events?after=0&format=cef'), 'E0045R', 400);
  });

  it.each(EVENT_KINDS)('records of OCSF have what their class requires for an event %s', (kind) => {
    const event = {
      id: '019b76da-a800-7000-8000-000000000001',
      at: '2026-01-01T00:00:00.000Z',
      kind,
      relyingParty: 'localhost',
      username: 'anna',
      credential: null,
      outcome: 'refused' as const,
      errorCode: 'E0034R',
      detail: null,
      explanation: 'A sign-in was refused.',
      requestId: null,
    };
    expect(missingIn(ocsfOfEvent(event, 'default'))).toEqual([]);
  });

  it.each([...AUDIT_ACTIONS, 'of.an-older-version'])(
    'records of OCSF have what their class requires for a row %s',
    (action) => {
      expect(missingIn(ocsfOfRow({ ...ROW, action }))).toEqual([]);
    },
  );

  it.each(AUDIT_ACTIONS.filter((action) => /^(?:users|model)\./.test(action)))(
    'name no user for a row %s, which concerns many',
    (action) => {
      const record = ocsfOfRow({ ...ROW, action });
      expect(record).toMatchObject({ class_name: 'API Activity', api: { operation: action } });
      expect(record).not.toHaveProperty('user');
    },
  );
});

function missingIn(record: object) {
  const members = new Map(Object.entries(record));
  const ofClass = REQUIRED[Number(members.get('class_uid'))] ?? ['a known class'];
  return [...OF_ALL, 'type_uid', ...ofClass].filter((name) => members.get(name) === undefined);
}
