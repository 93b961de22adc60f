import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from '../../packages/testing/src/certificate-writer.js';
import { adminClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { receiverTls } from '../support/receiver-tls.js';
import { ServerProcess } from '../support/server-process.js';
import { WebhookReceiver, type ReceiverTls } from '../support/webhook-receiver.js';

const WEBHOOKS = '/tenantapi/webhooks';
const LONG_AGO = new Date('2021-01-01T00:00:00Z');
const FAR_AHEAD = new Date('2059-01-01T00:00:00Z');

describe('a webhook over HTTPS, with an authority of NODE_EXTRA_CA_CERTS', () => {
  const authority = createAuthority('Company CA');
  const stranger = createAuthority('Company CA');
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  const file = join(folder, 'ca.pem');
  let server: ServerProcess;
  let admin: Client;
  beforeAll(async () => {
    writeFileSync(file, pemOf(authority.certificate));
    // Only a receiver on this machine can be made here.
    server = new ServerProcess(['--webhook-private', '--domain', 'localhost'], {
      NODE_EXTRA_CA_CERTS: file,
    });
    await server.start();
    admin = adminClient(server.url);
  });
  afterAll(async () => {
    await server.remove();
    rmSync(folder, { recursive: true });
  });

  it('delivers signed events to a receiver whose certificate that authority issued', async () => {
    const receiver = await receiverWith(receiverTls({ by: authority }));
    const { id, secret } = await create(receiver.url);
    await new FidoClient(server.url).register('anna');
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [message] = receiver.received;
    expect([message?.type, message?.data['username'], message?.signedBy(secret)]).toEqual([
      'registration',
      'anna',
      true,
    ]);
    await admin.send(`${WEBHOOKS}/${id}`, { method: 'DELETE' });
    await receiver.kill();
  });

  it.each<[string, ReceiverTls, string]>([
    [
      'of another name',
      receiverTls({ by: authority, host: 'other.example' }),
      'the certificate is for another name',
    ],
    [
      'that has expired',
      receiverTls({ by: authority, notAfter: LONG_AGO }),
      'the certificate has expired',
    ],
    [
      'of times to come',
      receiverTls({ by: authority, notBefore: FAR_AHEAD }),
      'the certificate is not valid yet',
    ],
    [
      'of an authority of the same name that is another',
      receiverTls({ by: stranger }),
      'the certificate is from an authority that is not trusted here',
    ],
    ['that nobody issued', receiverTls(), 'the certificate is self-signed, and not trusted here'],
  ])('fail for a certificate %s without sending anything', async (_, tls, failure) => {
    const receiver = await receiverWith(tls);
    expect(await test(receiver.url)).toMatchObject({ arrived: false, failure });
    expect(receiver).toMatchObject({ connections: 1, received: [] });
    await receiver.kill();
  });

  it('sends no event to a receiver that answers without TLS', async () => {
    const receiver = await receiverWith();
    const url = receiver.url.replace('http:', 'https:');
    expect(await test(url)).toMatchObject({
      arrived: false,
      failure: expect.stringMatching(/^no TLS connection could be made \(/),
    });
    expect(receiver.received).toEqual([]);
    await receiver.kill();
  });

  it('a webhook over HTTPS does not follow the redirect of a receiver over HTTPS', async () => {
    const receiver = await receiverWith(receiverTls({ by: authority }));
    const elsewhere = await receiverWith();
    receiver.respond = (_, response) => response.writeHead(308, { location: elsewhere.url }).end();
    expect(await test(receiver.url)).toMatchObject({ failure: 'the receiver answered 308' });
    expect([receiver.received.length, elsewhere.connections]).toEqual([1, 0]);
    await receiver.kill();
    await elsewhere.kill();
  });

  async function receiverWith(tls?: ReceiverTls) {
    const receiver = new WebhookReceiver(undefined, tls);
    await receiver.start();
    return receiver;
  }

  async function create(url: string) {
    const wanted = { tenant: 'default', url, events: ['registration'] };
    const { status, body } = await admin.post(WEBHOOKS, wanted);
    expect(status).toBe(201);
    return { id: (body['webhook'] as { id: string }).id, secret: String(body['secret']) };
  }

  async function test(url: string) {
    const { id } = await create(url);
    const { body } = await admin.post(`${WEBHOOKS}/${id}/test`, {});
    await admin.send(`${WEBHOOKS}/${id}`, { method: 'DELETE' });
    return body;
  }
});
