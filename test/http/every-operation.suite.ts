import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '../../src/platform/project.js';
import { AdminClient } from '../support/admin-client.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import type { Answer } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { blobRoot, writeBlob } from '../../packages/testing/src/blob-writer.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { settle } from '../support/people.js';
import { relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
}

interface Call extends Operation {
  readonly method: string;
  readonly path: string;
}

/** The values that a step sends instead of the document's examples: names from the server, and files. */
interface Step {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly file?: string;
}

const { paths } = JSON.parse(readFileSync(projectPath('dist/openapi.json'), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const CALLS = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Call] => [
      operation.operationId,
      { ...operation, method: method.toUpperCase(), path },
    ]),
  ),
);

/** Operations that remove what the others need: called last. */
const REMOVALS = ['removeRelyingParty', 'removeTenant'];

const directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
const mdsRoots = join(directory, 'roots.pem');
writeFileSync(mdsRoots, pemOf(blobRoot().certificate));

describe('each operation, called with the examples of the OpenAPI document', () => {
  let server: TestServer;
  let admin: AdminClient;
  const authenticator = new SoftAuthenticator();
  const answered = new Set<string>();

  beforeAll(async () => {
    server = await TestServer.start({
      options: { mds: ['upload'], mdsRoots, aaguid: true, issuer: 'https://fido.example.com' },
    });
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true });
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
    const answer = await admin.send(`${path}?${search}`, {
      method: it.method,
      ...sentBody(requestBody?.content ?? {}, step),
    });
    expect([id, answer.status, answer.text]).toEqual([
      id,
      answer.status < 300 && answer.status,
      answer.text,
    ]);
    answered.add(id);
    return answer;
  }

  const call = async (id: string, step?: Step) => (await answerTo(id, step)).body;

  it('the operations on tenants, metadata, models and application keys succeed', async () => {
    await call('createTenant');
    await call('createRelyingParty');
    // With this policy a key may claim its model without proof.
    const localhost = { tenant: 'default', domain: 'localhost' };
    const published = {
      relatedOrigins: ['https://example.org'],
      apps: {
        android: [{ package: 'com.example.app', fingerprints: [`${'AB:'.repeat(31)}AB`] }],
        apple: ['TEAMID1234.com.example.app'],
      },
      passkeyEndpoints: { manage: 'https://example.com/keys' },
    };
    const body = { policy: { aaguid: 'reported' }, ...published };
    await call('changeRelyingParty', { path: localhost, body });
    await call('uploadMetadata', {
      file: writeBlob({ no: 1, nextUpdate: '2099-01-01', entries: [] }),
    });
    await call('addModel');
    await call('removeModel');
    const { key } = await call('issueApplicationKey');
    const path = { id: (key as { id: string }).id };
    await call('readApplicationKey', { path });
    await call('revokeApplicationKey', { path });
  });

  it.each(['certify', 'alias'] as const)(
    'the four calls on the paths of "%s" succeed',
    async (family) => {
      await call('addModel', { body: { aaguid: '5e1f1d0a-7e57-4000-8000-0000000000fd' } });
      const person = new FidoClient(server.url, { family, authenticator });
      const name = `${family}@example.com`;
      for (const answer of [await person.register(name), await person.signIn(name)]) {
        expect(answer.status).toBe(200);
      }
      for (const id of ['beginRegistration', 'beginAuthentication']) {
        const begin = id;
        const complete = id.replace('begin', 'complete');
        answered.add(family === 'alias' ? `${begin}Alias` : begin);
        answered.add(family === 'alias' ? `${complete}Alias` : complete);
      }
    },
  );

  it('the reports of a cancelled prompt succeed', async () => {
    const person = new FidoClient(server.url);
    const tell = ({ body: { challenge } }: Answer, path: string) =>
      person.post(`/fidoapi/${path}/given-up`, { challenge, error: 'NotAllowedError' });
    for (const answer of [
      await tell(await person.beginRegistration('shy'), 'register'),
      await tell(await person.beginNameless(), 'authenticate'),
    ]) {
      expect(answer.status).toBe(200);
    }
    for (const id of ['giveUpRegistration', 'giveUpAuthentication']) answered.add(id);
  });

  it('the operation that reads a receipt succeeds', async () => {
    const person = new FidoClient(server.url, { authenticator });
    const transaction = { text: 'Pay 10 EUR to Bert' };
    const begun = await person.beginAuthentication('certify@example.com', { transaction });
    const { body } = await person.completeAuthentication(person.assert(begun));
    await call('getReceipt', { path: { id: body['receipt'] } });
  });

  it('the operations on lists of users to delete succeed', async () => {
    const { uploadId } = await call('uploadList', { file: 'certify@example.com\nnobody\n' });
    await call('deleteList', { body: { uploadId } });
    const path = { uploadId };
    await call('getListDeletion', { path });
    await call('getListDeletionResult', { path });
    await call('stopListDeletion', { path });
  });

  it('the operations on tickets succeed', async () => {
    await call('issueTicket');
    const { tickets } = await call('listTickets');
    const [ticket] = tickets as { id: string }[];
    await call('revokeTicket', { path: { id: ticket?.id } });
  });

  it('the operations on invitations succeed', async () => {
    const { invitation, code } = await call('issueInvitation');
    await call('readInvitation', { body: { code } });
    const path = { id: (invitation as { id: string }).id };
    await call('readIssuedInvitation', { path });
    await call('revokeInvitation', { path });
  });

  it('the operation that renames a user succeeds', async () => {
    expect((await new FidoClient(server.url).register('before')).status).toBe(200);
    await call('changeNames', { body: { username: 'before', newUsername: 'after' } });
  });

  it('the operations on groups and the suspension of a user succeed', async () => {
    const username = 'on-leave';
    expect((await new FidoClient(server.url).register(username)).status).toBe(200);
    await call('setGroups', { body: { username, groups: ['staff'] } });
    await call('getGroups', { query: { username } });
    await call('suspendUser', { body: { username, suspended: true } });
  });

  it('the operation that links a user of a move succeeds', async () => {
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

  it('the operations of users on their own keys succeed', async () => {
    const person = new FidoClient(server.url);
    expect((await person.register('own-keys')).status).toBe(200);
    const token = String((await person.signIn('own-keys')).body['token']);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { body } = await person.get('/fidoapi/keys', headers);
    const [key] = body['keys'] as { credentialId: string }[];
    const path = `/fidoapi/keys/${key?.credentialId}`;
    const name = JSON.stringify({ deviceName: 'Blue key' });
    const other = new FidoClient(server.url);
    expect((await other.register('own-keys')).status).toBe(200);
    const reported = other.authenticator.credentials[0]?.id.toString('base64url');
    const answers = [
      await person.get(path, headers),
      await person.send(path, { method: 'PATCH', headers, body: name }),
      await person.post(`/fidoapi/keys/${reported}/report`, {}, headers),
      await person.send(`${path}?confirm=last`, { method: 'DELETE', headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const id of ['listMyKeys', 'readMyKey', 'renameMyKey', 'reportMyKey', 'deleteMyKey']) {
      answered.add(id);
    }
  });

  it('the operations of export and import succeed', async () => {
    const query = { relyingParty: 'localhost' };
    const { text } = await answerTo('exportUsers', { query });
    await call('importUsers', { query, file: text });
    await call('readImport', { query });
  });

  it('the operations on a lost model succeed', async () => {
    const model = { aaguid: '5e1f1d0a-7e57-4000-8000-0000000000fd' };
    const { job } = await call('disableModel', { path: model });
    const path = { ...model, job: (job as { id: string }).id };
    for (const id of ['readModelJob', 'stopModelJob', 'resumeModelJob', 'undoModelJob']) {
      await call(id, { path });
    }
  });

  it('the operations on webhooks succeed', async () => {
    const { webhook } = await call('createWebhook');
    const path = { id: (webhook as { id: string }).id };
    await call('readWebhook', { path });
    await call('changeWebhook', { path });
    await call('rotateWebhookSecret', { path });
    await call('testWebhook', { path });
    await call('listSetAsideMessages', { path });
    await call('forgetSetAsideMessages', { path });
    await call('removeWebhook', { path });
  });

  it('the operations on invoices succeed', async () => {
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
    const others = [...CALLS.keys()].filter((id) => !answered.has(id));
    for (const id of others.filter((id) => !REMOVALS.includes(id))) await call(id);
    for (const id of REMOVALS) await call(id);
    expect([...CALLS.keys()].filter((id) => !answered.has(id))).toEqual([]);
  });
});

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
