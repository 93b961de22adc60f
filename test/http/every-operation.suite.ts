import { AdminClient } from '../support/admin-client.js';
import type { Answer } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { writeBlob } from '../../packages/testing/src/blob-writer.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf } from '../support/rows.js';
import { MDS_ROOTS } from '../support/metadata.js';
import { DESCRIBED_CALLS } from '../support/api/described-calls.js';
import { TestServer } from '../support/test-server.js';

const CALLS = new Map(DESCRIBED_CALLS.map((one) => [one.operationId, one]));

/** Of the software authenticator. */
const OWN_MODEL = '5e1f1d0a-7e57-4000-8000-0000000000fd';

/** Operations that remove what the others need: called last. */
const REMOVALS = ['removeRelyingParty', 'removeTenant'];

describe('each operation, called with the examples of the OpenAPI document', () => {
  let server: TestServer;
  let admin: AdminClient;
  /** The operations of the tests with steps, and those that were answered. */
  const named = new Set<string>();
  const answered = new Set<string>();

  beforeAll(async () => {
    server = await TestServer.start({
      options: {
        mds: ['upload'],
        mdsRoots: MDS_ROOTS,
        aaguid: true,
        issuer: 'https://fido.example.com',
      },
    });
    admin = new AdminClient(server.url, 'localhost');
    await call('createTenant');
    await call('createRelyingParty');
    await completeRelyingParty();
    await call('addModel', { body: { aaguid: OWN_MODEL } });
  });
  afterAll(() => server.stop());

  /** A test that calls these operations with more than the examples. */
  function succeed(ids: readonly string[], steps: () => Promise<void>): void {
    for (const id of ids) named.add(id);
    it(`${ids.join(', ')} succeed`, async () => {
      await steps();
      for (const id of ids) expect(answered).toContain(id);
    });
  }

  succeed(
    [
      'uploadMetadata',
      'addModel',
      'removeModel',
      'issueApplicationKey',
      'readApplicationKey',
      'revokeApplicationKey',
    ],
    async () => {
      await call('uploadMetadata', {
        file: writeBlob({ no: 1, nextUpdate: '2099-01-01', entries: [] }),
      });
      await call('addModel');
      await call('removeModel');
      const { key } = await call('issueApplicationKey');
      const path = { id: (key as { id: string }).id };
      await call('readApplicationKey', { path });
      await call('revokeApplicationKey', { path });
    },
  );

  for (const [family, suffix] of [
    ['certify', ''],
    ['alias', 'Alias'],
  ] as const) {
    const calls = ['begin', 'complete'].flatMap((step) =>
      ['Registration', 'Authentication'].map((ceremony) => `${step}${ceremony}${suffix}`),
    );
    succeed(calls, async () => {
      const user = new FidoClient(server.url, { family });
      for (const answer of [await user.register(family), await user.signIn(family)]) {
        expect(answer.status).toBe(200);
      }
      for (const id of calls) answered.add(id);
    });
  }

  succeed(['giveUpRegistration', 'giveUpAuthentication'], async () => {
    const user = new FidoClient(server.url);
    const tell = ({ body: { challenge } }: Answer, path: string) =>
      user.post(`/fidoapi/${path}/given-up`, { challenge, error: 'NotAllowedError' });
    for (const answer of [
      await tell(await user.beginRegistration('shy'), 'register'),
      await tell(await user.beginNameless(), 'authenticate'),
    ]) {
      expect(answer.status).toBe(200);
    }
    for (const id of ['giveUpRegistration', 'giveUpAuthentication']) answered.add(id);
  });

  succeed(['getReceipt'], async () => {
    const user = new FidoClient(server.url);
    expect((await user.register('payer')).status).toBe(200);
    const transaction = { text: 'Pay 10 EUR to Bert' };
    const begun = await user.beginAuthentication('payer', { transaction });
    const { body } = await user.completeAuthentication(user.assert(begun));
    await call('getReceipt', { path: { id: body['receipt'] } });
  });

  succeed(
    ['uploadList', 'deleteList', 'getListDeletion', 'getListDeletionResult', 'stopListDeletion'],
    async () => {
      expect((await new FidoClient(server.url).register('listed')).status).toBe(200);
      const { uploadId } = await call('uploadList', { file: 'listed\nnobody\n' });
      await call('deleteList', { body: { uploadId } });
      const path = { uploadId };
      await call('getListDeletion', { path });
      await call('getListDeletionResult', { path });
      await call('stopListDeletion', { path });
    },
  );

  succeed(['issueTicket', 'listTickets', 'revokeTicket'], async () => {
    await call('issueTicket');
    const { tickets } = await call('listTickets');
    const [ticket] = tickets as { id: string }[];
    await call('revokeTicket', { path: { id: ticket?.id } });
  });

  succeed(
    ['issueInvitation', 'readInvitation', 'readIssuedInvitation', 'revokeInvitation'],
    async () => {
      const { invitation, code } = await call('issueInvitation');
      await call('readInvitation', { body: { code } });
      const path = { id: (invitation as { id: string }).id };
      await call('readIssuedInvitation', { path });
      await call('revokeInvitation', { path });
    },
  );

  succeed(['decideFinding'], async () => {
    const copied = new FidoClient(server.url);
    const { body } = await copied.register('copied');
    await copied.signIn('copied');
    await copied.signIn('copied', { signCount: 1 });
    const finding = { kind: 'copied', subject: body['credentialId'] };
    // The hours with alarms are counted once for a moment.
    await eventually(() =>
      call('decideFinding', { body: { ...finding, action: 'assign', assignee: 'admin' } }),
    );
  });

  succeed(['changeNames'], async () => {
    expect((await new FidoClient(server.url).register('before')).status).toBe(200);
    await call('changeNames', { body: { username: 'before', newUsername: 'after' } });
  });

  succeed(['setGroups', 'getGroups', 'suspendUser'], async () => {
    const username = 'on-leave';
    expect((await new FidoClient(server.url).register(username)).status).toBe(200);
    await call('setGroups', { body: { username, groups: ['staff'] } });
    await call('getGroups', { query: { username } });
    await call('suspendUser', { body: { username, suspended: true } });
  });

  succeed(['linkUser'], async () => {
    const policy = { registration: 'ticket' } as const;
    await server.addRelyingParty('default', { domain: 'old.example', policy });
    await settle(server, relyingPartyOf(server, 'old.example'), [{ username: 'lea' }]);
    const predecessor = 'old.example';
    await server.addRelyingParty('default', { domain: 'new.example', predecessor, policy });
    const atNew = new AdminClient(server.url, 'new.example');
    const { status } = await atNew.post('/userapi/collisions', { username: 'lea' });
    expect(status).toBe(201);
    answered.add('linkUser');
  });

  succeed(['listMyKeys', 'readMyKey', 'renameMyKey', 'reportMyKey', 'deleteMyKey'], async () => {
    const user = new FidoClient(server.url);
    expect((await user.register('own-keys')).status).toBe(200);
    const token = String((await user.signIn('own-keys')).body['token']);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { body } = await user.get('/fidoapi/keys', headers);
    const [key] = body['keys'] as { credentialId: string }[];
    const path = `/fidoapi/keys/${key?.credentialId}`;
    const name = JSON.stringify({ deviceName: 'Blue key' });
    const other = new FidoClient(server.url);
    expect((await other.register('own-keys')).status).toBe(200);
    const reported = other.keyId;
    const answers = [
      await user.get(path, headers),
      await user.send(path, { method: 'PATCH', headers, body: name }),
      await user.post(`/fidoapi/keys/${reported}/report`, {}, headers),
      await user.send(`${path}?confirm=last`, { method: 'DELETE', headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const id of ['listMyKeys', 'readMyKey', 'renameMyKey', 'reportMyKey', 'deleteMyKey']) {
      answered.add(id);
    }
  });

  succeed(['exportUsers', 'importUsers', 'readImport'], async () => {
    const query = { relyingParty: 'localhost' };
    const { text } = await answerTo('exportUsers', { query });
    await call('importUsers', { query, file: text });
    await call('readImport', { query });
  });

  succeed(
    ['disableModel', 'readModelJob', 'stopModelJob', 'resumeModelJob', 'undoModelJob'],
    async () => {
      expect((await new FidoClient(server.url).register('holder')).status).toBe(200);
      const model = { aaguid: OWN_MODEL };
      const { job } = await call('disableModel', { path: model });
      const path = { ...model, job: (job as { id: string }).id };
      for (const id of ['readModelJob', 'stopModelJob', 'resumeModelJob', 'undoModelJob']) {
        await call(id, { path });
      }
    },
  );

  succeed(
    [
      'createWebhook',
      'readWebhook',
      'changeWebhook',
      'rotateWebhookSecret',
      'testWebhook',
      'listSetAsideMessages',
      'forgetSetAsideMessages',
      'removeWebhook',
    ],
    async () => {
      const { webhook } = await call('createWebhook');
      const path = { id: (webhook as { id: string }).id };
      await call('readWebhook', { path });
      await call('changeWebhook', { path });
      await call('rotateWebhookSecret', { path });
      await call('testWebhook', { path });
      await call('listSetAsideMessages', { path });
      await call('forgetSetAsideMessages', { path });
      await call('removeWebhook', { path });
    },
  );

  succeed(['postInvoice', 'listInvoices', 'getStoredInvoice', 'cancelInvoice'], async () => {
    const month = new Date(server.clock.now());
    const lastDay = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0));
    server.clock.advance(40 * 86_400_000);
    const date = lastDay.toISOString().slice(0, 10);
    await call('postInvoice', { body: { date, invoicelog: 'yes' } });
    const { invoices } = await call('listInvoices');
    const [stored] = invoices as { number: number }[];
    await call('getStoredInvoice', { path: { number: stored?.number } });
    await call('cancelInvoice', { path: { number: stored?.number } });
  });

  it('all other operations succeed', async () => {
    const others = [...CALLS.keys()].filter((id) => !named.has(id) && !answered.has(id));
    for (const id of others.filter((id) => !REMOVALS.includes(id))) await call(id);
    for (const id of REMOVALS) await call(id);
  });

  /** The client compares the answer with its schema; here it must not be a refusal, either. */
  async function answerTo(id: string, step: Step = {}): Promise<Answer> {
    const it = CALLS.get(id);
    if (!it) throw new Error(`there is no operation "${id}"`);
    const { parameters = [], requestBody } = it;
    const path = it.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(
        String(step.path?.[name] ?? parameters.find((each) => each.name === name)?.example),
      ),
    );
    const query = parameters.filter(
      (each) => each.in === 'query' && (each.required === true || each.example !== undefined),
    );
    const search = new URLSearchParams({
      ...Object.fromEntries(query.map(({ name, example }) => [name, String(example)])),
      ...step.query,
    });
    const isOpen = !ADMINISTRATION.test(path);
    const isChange = it.method !== 'GET' && id !== CSV_CHANGE;
    const warns = !isOpen && (isChange || WARNING.includes(id));
    const sent = { method: it.method, ...sentBody(requestBody?.content ?? {}, step) };
    if (!isOpen && !warns) {
      const { status, body } = await admin.send(`${path}?${search}&${MISTYPED.name}=1`, sent);
      const reason = expect.stringMatching(/^parameters\.(?:unknown|none)$/) as string;
      expect([id, status, body['reason']]).toEqual([id, 400, reason]);
    }
    if (warns) search.append(MISTYPED.name, '1');
    const answer = await admin.send(`${path}?${search}`, sent);
    expect([id, answer.status, answer.text]).toEqual([
      id,
      answer.status < 300 && answer.status,
      answer.text,
    ]);
    if (warns) expect([id, answer.body['warnings']]).toEqual([id, warningsWith(MISTYPED.warning)]);
    answered.add(id);
    return answer;
  }

  async function call(id: string, step?: Step) {
    return (await answerTo(id, step)).body;
  }

  async function completeRelyingParty(): Promise<void> {
    // With this policy a key may claim its model without proof.
    const policy = { aaguid: 'reported' };
    const relatedOrigins = ['https://example.org'];
    const apps = {
      android: [{ package: 'com.example.app', fingerprints: [`${'AB:'.repeat(31)}AB`] }],
      apple: ['TEAMID1234.com.example.app'],
    };
    const passkeyEndpoints = { manage: 'https://example.com/keys' };
    await call('changeRelyingParty', {
      path: { tenant: 'default', domain: 'localhost' },
      body: { policy, relatedOrigins, apps, passkeyEndpoints },
    });
  }
});

const warningsWith = (warning: string) => expect.arrayContaining([warning]) as readonly string[];

function sentBody(
  content: Readonly<Record<string, { readonly example?: unknown }>>,
  { body, file }: Step,
): RequestInit {
  if (file !== undefined) {
    const form = new FormData();
    form.append('file', new Blob([file]), 'list.txt');
    return { body: form };
  }
  const json = content['application/json'];
  if (!json) return {};
  return {
    body: JSON.stringify(body ?? json.example),
    headers: { 'content-type': 'application/json' },
  };
}

/** The values that a step sends instead of the document's examples: names from the server, and files. */
interface Step {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly file?: string;
}

/** The reading calls of the interface, which warn of a parameter that they do not know; all others refuse it. */
const WARNING = ['manageUsers', 'listUsers', 'listModels', 'getInvoice', 'estimateInvoice'];

/** Its answer is CSV, which has no place for warnings. */
const CSV_CHANGE = 'inviteModelHolders';

const MISTYPED = {
  name: 'flavour',
  warning: '"flavour" is no field of this call, and was ignored.',
};

/** The administration. It is open only to accounts and application keys. */
const ADMINISTRATION = /^\/(?:userapi|users|tenantapi)(?:\/|$)/;
