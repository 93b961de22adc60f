import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { AdminClient } from '../support/admin-client.js';
import { issueKey } from '../support/application-keys.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { ScimClient, expectScimError } from '../support/scim-client.js';
import { TestServer } from '../support/test-server.js';

const OLD = 'old.example';
const NEW = 'new.example';

describe.each(DATABASES)('a directory during a move of the domain, on %s', (on) => {
  let server: TestServer;
  let directory: ScimClient;
  const keys = new Map<string, SoftAuthenticator>();
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { scim: true } });
    await server.addRelyingParty('acme', { domain: OLD, relatedOrigins: [`https://${NEW}`] });
    await server.addRelyingParty('acme', {
      domain: NEW,
      policy: { registration: 'first-only' },
      enrolmentUrl: `https://${NEW}/enrol`,
    });
    for (const name of ['anna', 'bert', 'cleo', 'dora', 'emil', 'fred', 'gerd']) {
      const client = at(OLD);
      expect((await client.register(name)).status).toBe(200);
      keys.set(name, client.authenticator);
    }
    const tenancy = server.get(TenancyService);
    const ticket = { registration: 'ticket' } as const;
    await tenancy.changeRelyingParty(server.call, 'acme', OLD, { policy: ticket });
    await tenancy.changeRelyingParty(server.call, 'acme', NEW, { predecessor: OLD });
    directory = await ScimClient.start(server.url, { tenant: 'acme', domain: NEW });
  });
  afterAll(() => server.stop());

  const at = (relyingParty: string, authenticator?: SoftAuthenticator) =>
    new FidoClient(server.url, {
      relyingParty,
      ...(authenticator && { authenticator }),
    });

  it('takes an expected user over, whose old key still signs in', async () => {
    expect((await directory.find('userName eq "anna"')).body).toMatchObject({ totalResults: 0 });
    const id = await directory.created({ userName: 'anna', externalId: 'a-1' });
    const anna = at(NEW, keys.get('anna'));
    expect((await anna.signIn('anna')).status).toBe(200);
    expect((await directory.find('userName eq "anna"')).body).toMatchObject({
      Resources: [{ id, externalId: 'a-1' }],
    });
    const again = await directory.create({ userName: 'anna' });
    expectScimError(again, 409, 'E0045R user.nameTaken', 'uniqueness');
    await directory.replace(id, { userName: 'anna.new' });
    expect((await anna.signIn('anna.new')).status).toBe(200);
  });

  it('deletes a user at both domains', async () => {
    const id = await directory.created({ userName: 'bert' });
    expect((await directory.call('DELETE', `/Users/${id}`)).status).toBe(204);
    for (const domain of [OLD, NEW]) {
      const bert = at(domain, keys.get('bert'));
      expect((await bert.beginAuthentication('bert')).status).toBe(403);
    }
  });

  it('takes a suspension at the predecessor over with the user', async () => {
    const helpDesk = new AdminClient(server.url, OLD);
    const body = { username: 'dora', suspended: true };
    expect((await helpDesk.post('/userapi/users/suspension', body)).status).toBe(200);
    await directory.created({ userName: 'dora' });
    expect((await new AdminClient(server.url, NEW).list('dora'))[0]).toMatchObject({
      suspendedBy: ['helpDesk'],
    });
    expect((await at(NEW).beginRegistration('dora')).status).toBe(403);
    expect((await at(NEW, keys.get('dora')).beginAuthentication('dora')).status).toBe(403);
  });

  it('suspends a user at both domains whom it creates suspended, and ends the invitations', async () => {
    const helpDesk = new AdminClient(server.url, NEW);
    const invited = { relyingParty: NEW, username: 'gerd', link: true };
    expect((await helpDesk.post('/userapi/invitations', invited)).status).toBe(201);
    const { body } = await directory.create({ userName: 'gerd', active: false });
    expect(body).toMatchObject({ active: false });
    for (const domain of [OLD, NEW]) {
      const gerd = at(domain, keys.get('gerd'));
      expect((await gerd.beginAuthentication('gerd')).status).toBe(403);
    }
    const rowsAt = async (domain: string) => {
      const trail = new AdminClient(server.url, domain).get('/userapi/audit?target=gerd&limit=2');
      return (await trail).body['entries'];
    };
    expect(await rowsAt(NEW)).toMatchObject([
      { action: 'user.suspend', detail: { side: 'directory' } },
      { action: 'user.create', detail: { linked: true } },
    ]);
    expect(await rowsAt(OLD)).toMatchObject([
      { action: 'user.suspend', detail: { side: 'directory', endedInvitations: 1 } },
    ]);
    const on = { op: 'replace', path: 'active', value: true };
    expect((await directory.patchUser(String(body['id']), on)).body).toMatchObject({
      active: true,
    });
    expect((await at(OLD, keys.get('gerd')).signIn('gerd')).status).toBe(200);
  });

  it('suspends a user at the successor who is suspended at the predecessor alone', async () => {
    const id = await directory.created({ userName: 'emil' });
    const { id: predecessorId } = relyingPartyOf(server, OLD);
    const directorySide = 'UPDATE users SET suspended_by = 2';
    await rowsOf(
      server,
      `${directorySide} WHERE username = ? AND relying_party_id = ?`,
      Buffer.from('emil'),
      predecessorId,
    );
    expect((await directory.user(id)).body).toMatchObject({ active: true });
    const off = { op: 'replace', path: 'active', value: false };
    expect((await directory.patchUser(id, off)).body).toMatchObject({ active: false });
    const on = { op: 'replace', path: 'active', value: true };
    expect((await directory.patchUser(id, on)).body).toMatchObject({ active: true });
    expect((await at(OLD, keys.get('emil')).signIn('emil')).status).toBe(200);
  });

  it('changes a display name and leaves the name at the other domain', async () => {
    const id = await directory.created({ userName: 'fred' });
    const { id: predecessorId } = relyingPartyOf(server, OLD);
    await rowsOf(
      server,
      'UPDATE users SET username = ?, folded_name = ? WHERE username = ? AND relying_party_id = ?',
      Buffer.from('fred.old'),
      Buffer.from('fred.old'),
      Buffer.from('fred'),
      predecessorId,
    );
    for (const change of [{ displayName: 'Fred F.' }, { userName: 'fred', displayName: 'F.' }]) {
      const { body } = await directory.patchUser(id, { op: 'replace', value: change });
      expect(body).toMatchObject({ userName: 'fred', displayName: change.displayName });
      expect((await new AdminClient(server.url, OLD).list('fred.old'))[0]).toMatchObject({
        username: 'fred.old',
        displayName: change.displayName,
      });
    }
  });

  it('needs a key that covers both domains for users of both', async () => {
    const { secret } = await issueKey(server.url, {
      tenant: 'acme',
      scopes: ['scim'],
      relyingParties: [NEW],
    });
    const limited = new ScimClient(server.url, secret, { tenant: 'acme', domain: NEW });
    const before = await server.snapshot();
    expectScimError(
      await limited.create({ userName: 'cleo' }),
      403,
      'E0043R applicationKey.notCovered',
    );
    expect(await server.snapshot()).toBe(before);
    expect((await limited.create({ userName: 'nadia' })).status).toBe(201);
  });
});
