import { jest } from '@jest/globals';
import { mapKey, newId } from '../../src/platform/database/row-ids.js';
import { BatchRunner } from '../../src/batches/batch-runner.js';
import { RollUp } from '../../src/billing/usage/roll-up.js';
import { UsageStore } from '../../src/billing/usage/usage-store.js';
import { DeletionEnding } from '../../src/users/deletions/deletion-ending.js';
import { ModelJobs } from '../../src/trust/models/model-jobs.js';
import type { BatchChange } from '../../src/batches/batches.js';
import { aaguidText } from '../../src/webauthn/aaguid.js';
import { Database } from '../../src/platform/database/database.js';
import { FormTokens } from '../../src/platform/access/form-token.js';
import { sendForm } from '../support/console-form.js';
import { modelCall } from '../support/batch-call.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { AdminClient } from '../support/admin-client.js';
import { bearer } from '../support/application-keys.js';
import { HTML, adminClient, type Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { NO_ACCOUNT, expectRefusal } from '../support/refusals/refusal.js';
import { settle } from '../support/settled-users.js';
import { countOf, holdingsOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { fillTable } from '../support/schema/filled-table.js';
import { TestServer } from '../support/test-server.js';

const BROWSER = { 'user-agent': 'Mozilla/5.0', 'sec-fetch-site': 'same-origin' };
const DAY_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;
const KEPT = ['deletions', 'deleted_keys', 'deleted_handles', 'deleted_names'];

/** What is deleted on a page can be taken back for 24 hours. */
describe.each(DATABASES)('the undo of a deletion, on %s', (on) => {
  let server: TestServer;
  let admin: Client;

  beforeAll(async () => {
    server = await TestServer.start({ on, options: { accounts: accountsFile() } });
    // The tests do the rounds of these jobs, so that no other round is half-way through one.
    await server.get(BatchRunner).onModuleDestroy();
    admin = adminClient(server.url);
    await server.addRelyingParty('acme', { domain: 'acme.example' });
  });
  /** No test finds what others have deleted. */
  beforeEach(() => server.get(Database).commit([{ sql: 'DELETE FROM deletions', params: [] }]));
  afterAll(() => server.stop());

  const newUser = () => new FidoClient(server.url);
  const keptRows = async () => Promise.all(KEPT.map((table) => countOf(server, table)));
  const end = () => server.get(DeletionEnding).catchUp();

  it('restores the user with working keys and history', async () => {
    const blue = newUser();
    const red = newUser();
    await blue.register('ada.l', { displayName: 'Ada Lovelace' });
    await red.register('ada.l', { displayName: 'Ada Lovelace' });
    const names = { username: 'ada.l', newUsername: 'ada', displayName: 'Ada Lovelace' };
    await admin.patch('/userapi/users', { relyingParty: 'localhost', ...names });
    await new AdminClient(server.url, 'localhost').manage({
      type: 'disabledevice',
      filter: 'ada',
      device: red.keyId,
    });
    const { id, tenantId } = relyingPartyOf(server, 'localhost');
    const [user] = await rowsOf<{ id: Buffer }>(
      server,
      'SELECT id FROM users WHERE username = ?',
      Buffer.from('ada'),
    );
    const handle = {
      sql: 'INSERT INTO further_handles (relying_party_id, tenant_id, user_id, handle) VALUES (?, ?, ?, ?)',
      params: [id, tenantId, user?.id ?? null, Buffer.from('old handle')],
    };
    await server.get(Database).commit([handle]);
    const before = await stored('ada');
    expect(before).toMatchObject({ keys: [{}, {}], handles: [{}], names: [{}] });

    const deleted = await remove('ada', 'left us');
    expectRefusal(await blue.beginAuthentication('ada'), NO_ACCOUNT);
    expect(await stored('ada')).toMatchObject({
      user: undefined,
      keys: [],
      handles: [],
      names: [],
    });
    expect(undoOf(await led(deleted), 'occasion')).toMatchObject({ name: 'ada', rp: 'localhost' });
    const { text } = await pageOf('ada');
    const vain = await admin.get('/userapi?filter=ada&rp=localhost', HTML);
    expect(vain.text).toContain('href="/userapi/user?name&#x3D;ada&amp;rp&#x3D;localhost"');
    expect(text).toContain('left us');
    expect(text).toContain('can be brought back until');
    expect(text).not.toContain('It may be new');

    const back = await undo('ada');
    expect(back.status).toBe(303);
    expect(await led(back)).toContain('The user is back, with all keys.');
    // Registrations that began before the deletion stay ended.
    // What had been permitted before stays over.
    const same = { ...before.user, lockouts: 1 };
    const keys = (before.keys as { disablings: number | null }[]).map((key) => ({
      ...key,
      disablings: (key.disablings ?? 0) + 1,
    }));
    expect(await stored('ada')).toEqual({ ...before, user: same, keys });
    expect(await keptRows()).toEqual([0, 0, 0, 0]);
    expect((await blue.signIn('ada')).status).toBe(200);
    expectRefusal(await red.signInNameless(), 'E0034R');
    const last = (await kindsOf('ada')).slice(-7);
    expect(last.toSorted()).toEqual(
      [
        'authentication',
        'deleted',
        'deleted',
        'imported',
        'imported',
        'user-created',
        'user-deleted',
      ].toSorted(),
    );
    const trail = await rowsOf<{ action: string; target: Buffer }>(
      server,
      "SELECT action, target FROM audit WHERE action IN ('user.delete', 'deletion.undo') ORDER BY seq",
    );
    const ofAda = trail.filter(({ target }) => String(target) === 'ada');
    expect(ofAda.map(({ action }) => action)).toEqual(['user.delete', 'deletion.undo']);
    const { text: restored } = await pageOf('ada');
    expect(restored).toContain('Key imported, or brought back');
    expect(restored).toContain('User brought back');
  });

  it('restores a user from the list of recently deleted users, the newest first', async () => {
    for (const name of ['first-gone', 'last-gone']) {
      await newUser().register(name, { displayName: `${name} in full` });
      await remove(name, 'left');
    }
    const { text } = await admin.get('/userapi/deleted', HTML);
    const newest = text.indexOf('last-gone in full');
    const older = text.indexOf('first-gone in full');
    expect(newest).toBeGreaterThan(0);
    expect(older).toBeGreaterThan(newest);
    expect(text).toContain('Reason: <bdi>left</bdi>');
    expect(undoOf(text)).toMatchObject({ name: 'last-gone', rp: 'localhost' });
    const foreign = await clientOf(server.url, 'acme-admin').get('/userapi/deleted', HTML);
    expect(foreign.text).not.toContain('gone in full');
    const helpdesk = await clientOf(server.url, 'helpdesk').get('/userapi/deleted', HTML);
    expect(helpdesk.text).toContain('last-gone in full');
    expect(undoOf(helpdesk.text)).toEqual({});
    await send('/userapi/undo', undoOf(text));
    expect(await countOf(server, 'users WHERE username = ?', Buffer.from('last-gone'))).toBe(1);
    const now = await admin.get('/userapi/deleted', HTML);
    expect(now.text).not.toContain('last-gone in full');
    await undo('first-gone');
  });

  it('the list of recently deleted users says that it is cut only beyond a hundred', async () => {
    const { id, tenantId } = relyingPartyOf(server, 'localhost');
    const deletion = (n: number) => ({
      relying_party_id: id,
      tenant_id: tenantId,
      id: newId(),
      user_id: newId(),
      username: Buffer.from(`gone-${n}`),
      folded_name: Buffer.from(`gone-${n}`),
      user_handle: newId(),
      whole: 1,
      at: Date.now(),
      occasion: `${n}`,
      account: Buffer.from('admin'),
    });
    const page = async () => (await admin.get('/userapi/deleted', HTML)).text;
    await fillTable(
      server,
      'deletions',
      Array.from({ length: 100 }, (_, n) => deletion(n)),
    );
    expect(await page()).not.toContain('The newest 100 are shown');
    await fillTable(server, 'deletions', [deletion(100)]);
    expect(await page()).toContain('The newest 100 are shown');
  });

  it('restores the counts of stock and active users', async () => {
    const one = newUser();
    await one.register('counted');
    await remove('counted');
    await undo('counted');
    await one.signIn('counted');
    const rp = relyingPartyOf(server, 'localhost');
    const usage = server.get(UsageStore);
    const far = server.clock.now() + DAY_MS;
    const tally = (await usage.tallies(0, far)).get(mapKey(rp.id));
    const { users, credentials } = await holdingsOf(server, rp);
    expect(tally).toMatchObject({ users });
    expect((tally?.enabled ?? 0) + (tally?.disabled ?? 0)).toBe(credentials);
    const [registered] = await rowsOf<{ n: number }>(
      server,
      "SELECT COUNT(*) AS n FROM events WHERE kind = 'registration'",
    );
    expect(tally?.registrations).toBe(registered?.n);
    server.clock.advance(3_600_000);
    await server.get(RollUp).catchUp();
    const allUsers = await rowsOf(
      server,
      'SELECT DISTINCT user_id FROM usage_active WHERE relying_party_id = ?',
      rp.id,
    );
    const days = await rowsOf<{ n: number }>(
      server,
      'SELECT MAX(active_users) AS n FROM usage_days WHERE relying_party_id = ?',
      rp.id,
    );
    expect(days[0]?.n).toBe(allUsers.length);
  });

  it('restores a key that browsers still keep', async () => {
    const blue = newUser();
    const red = newUser();
    await blue.register('both');
    await red.register('both');
    await removeKey('both', red);
    const both = [blue.keyId, red.keyId].sort();
    const idsOf = ({ body }: { body: Record<string, unknown> }) =>
      (
        body['signals'] as { allAcceptedCredentialIds: string[] }
      ).allAcceptedCredentialIds.toSorted();
    expect(idsOf(await blue.signIn('both'))).toEqual(both);
    const several = await Promise.all([1, 2, 3].map(() => blue.signIn('both')));
    expect(several.filter(({ status }) => status === 200).map(idsOf)).toContainEqual(both);
    const refused = await red.signInNameless();
    expectRefusal(refused, 'E0033R');
    expect(refused.body).not.toHaveProperty('unknownCredential');
    expect((await pageOf('both')).text).toContain('can be brought back until');
    await undo('both');
    expect((await red.signIn('both')).status).toBe(200);
  });

  it('the undo of a deletion is no longer possible after 24 hours, and browsers learn that the key is deleted', async () => {
    const gone = newUser();
    const single = newUser();
    const other = newUser();
    await gone.register('gone');
    await single.register('single');
    await other.register('single');
    // On a busy machine a second would pass before the look that is a second before the end.
    server.clock.standAt(Date.now());
    await remove('gone');
    await removeKey('single', single);
    server.clock.advance(DAY_MS - 1000);
    await end();
    expect(await keptOf('gone')).toBe(1);
    const fields = undoOf((await pageOf('gone')).text);
    server.clock.advance(1000);
    expect((await pageOf('gone')).status).toBe(404);
    expect(await led(await send('/userapi/undo', fields))).toContain('Nothing was restored');
    await end();
    expect(await keptRows()).toEqual([0, 0, 0, 0]);
    expect((await gone.signInNameless()).body['unknownCredential']).toEqual({
      rpId: 'localhost',
      credentialId: gone.keyId,
    });
    const { body } = await other.signIn('single');
    expect(body['signals']).toMatchObject({ allAcceptedCredentialIds: [other.keyId] });
    server.clock.goOn();
  });

  it('the undo of a deletion is not possible after a deletion by the API, which also ends earlier undos', async () => {
    const blue = newUser();
    const red = newUser();
    await blue.register('by program');
    await red.register('by program');
    await removeKey('by program', red);
    expect(await keptOf('by program')).toBe(1);
    await new AdminClient(server.url, 'localhost').manage({
      type: 'deluser',
      filter: 'by program',
    });
    expect(await keptOf('by program')).toBe(0);
    expect((await blue.signInNameless()).body).toHaveProperty('unknownCredential');
  });

  it('the undo of a deletion is no longer possible after a registration under the name', async () => {
    const first = newUser();
    const second = newUser();
    await first.register('taken');
    await remove('taken');
    const fields = undoOf((await pageOf('taken')).text);
    await second.register('taken');
    expect((await pageOf('taken')).text).not.toContain('can be brought back until');
    expect(await led(await send('/userapi/undo', fields))).toContain('Nothing was restored');
    expect((await second.signIn('taken')).status).toBe(200);
    await remove('taken');
    expect(await keptOf('taken')).toBe(1);
    expect(await led(await send('/userapi/undo', fields))).toContain('Nothing was restored');
    await undo('taken');
    expect((await second.signIn('taken')).status).toBe(200);
    expect(await first.signInNameless()).toMatchObject({ status: 404 });
  });

  it('the undo of a deletion is no longer possible for a key after the registration of a further key', async () => {
    const lost = newUser();
    const other = newUser();
    const fresh = newUser();
    await lost.register('new phone');
    await other.register('new phone');
    await removeKey('new phone', lost);
    const fields = undoOf((await pageOf('new phone')).text);
    server.clock.advance(1000);
    await fresh.register('new phone');
    expect(await led(await send('/userapi/undo', fields))).toContain('Nothing was restored');
    await end();
    expect(await keptOf('new phone')).toBe(0);
  });

  it('the undo of a deletion stays possible for a key although an instance with a fast clock registered another before', async () => {
    const one = newUser();
    await one.register('two clocks');
    server.clock.advance(MINUTE_MS);
    await newUser().register('two clocks');
    server.clock.advance(-MINUTE_MS);
    await removeKey('two clocks', one);
    await end();
    expect(await led(await undo('two clocks'))).toContain('is back');
    expect((await stored('two clocks')).keys).toHaveLength(2);
  });

  it('restores a key under another name if a key of the user has been given its name since', async () => {
    const blue = newUser();
    const red = newUser();
    await red.register('renamer', { keypair: { name: 'Red' } });
    await blue.register('renamer', { keypair: { name: 'Blue' } });
    await removeKey('renamer', blue);
    const token = bearer(String((await red.signIn('renamer')).body['token']));
    const renamed = await red.patch(`/fidoapi/keys/${red.keyId}`, { deviceName: 'Blue' }, token);
    expect(renamed.status).toBe(200);
    expect(await led(await undo('renamer'))).toContain('is back');
    const [user] = await new AdminClient(server.url, 'localhost').list('renamer');
    expect(
      user?.credentials.map(({ credentialId, deviceName }) => [credentialId, deviceName]),
    ).toEqual([
      [red.keyId, 'Blue'],
      [blue.keyId, 'Blue (2)'],
    ]);
  });

  it('succeeds for one of two simultaneous callers', async () => {
    await newUser().register('twice');
    await remove('twice');
    const fields = undoOf((await pageOf('twice')).text);
    const answers = await Promise.all([1, 2].map(() => send('/userapi/undo', fields)));
    const told = await Promise.all(answers.map(led));
    expect(told.filter((text) => text.includes('The user is back'))).toHaveLength(1);
    expect((await kindsOf('twice')).filter((kind) => kind === 'user-created')).toHaveLength(2);
    expect(await countOf(server, 'users WHERE username = ?', Buffer.from('twice'))).toBe(1);
  });

  it('the undo of a deletion is allowed only to accounts that may delete users of the tenant', async () => {
    const blue = newUser();
    const red = newUser();
    await blue.register('guarded');
    await red.register('guarded');
    await removeKey('guarded', red);
    const ofKey = undoOf((await pageOf('guarded')).text);
    await remove('guarded');
    const fields = undoOf((await pageOf('guarded')).text);
    const occasion = { occasion: await occasionOf('guarded') };
    const foreign = await send('/userapi/undo', fields, 'acme-admin');
    expect([foreign.status, foreign.headers.get('location')]).toEqual([404, null]);
    const asTheirs = { ...fields, rp: 'acme.example' };
    await send('/userapi/undo', asTheirs, 'acme-admin');
    await send('/userapi/undo', occasion, 'acme-admin');
    const helpdesk = clientOf(server.url, 'helpdesk');
    expect((await pageOf('guarded', helpdesk)).text).toContain('can be brought back until');
    expect(undoOf((await pageOf('guarded', helpdesk)).text)).toEqual({});
    expect((await send('/userapi/undo', fields, 'helpdesk')).status).toBe(403);
    expect((await send('/userapi/undo', occasion, 'helpdesk')).status).toBe(403);
    expect(await countOf(server, 'users WHERE username = ?', Buffer.from('guarded'))).toBe(0);
    await undo('guarded');
    await send('/userapi/undo', ofKey, 'helpdesk');
    expect((await red.signIn('guarded')).status).toBe(200);
  });

  const occasionOf = async (name: string) => {
    const [row] = await rowsOf<{ occasion: string }>(
      server,
      'SELECT occasion FROM deletions WHERE username = ? ORDER BY id DESC',
      Buffer.from(name),
    );
    return row?.occasion ?? '';
  };

  it('the undo of a deletion is offered again if a list has more deletions than one undo restores', async () => {
    await server.addRelyingParty('acme', { domain: 'many.acme.example' });
    const names = Array.from({ length: 501 }, (_, n) => `many-${n}`);
    const allUsers = names.map((username) => ({ username }));
    await settle(server, relyingPartyOf(server, 'many.acme.example'), allUsers);
    const here = new AdminClient(server.url, 'many.acme.example');
    const { address, upload } = await uploadList('many.acme.example', names);
    await send(`/userapi/deletelistusers/${upload}/start`, { confirm: '501' });
    await server.get(BatchRunner).catchUp();
    const shown = (await admin.get(address, HTML)).text;
    expect(undoOf(shown, 'occasion')).toEqual({ occasion: upload });
    const first = await led(await send('/userapi/undo', { occasion: upload }));
    expect(first).toContain('500 deletions are undone. There are more: undo them, too.');
    expect(undoOf(first, 'occasion')).toEqual({ occasion: upload });
    const second = await led(await send('/userapi/undo', { occasion: upload }));
    expect(second).toContain('The user is back, with all keys.');
    expect(await here.names()).toHaveLength(501);
  });

  it('restores several selected users, and the users of a list', async () => {
    const allUsers = [newUser(), newUser()];
    await allUsers[0]?.register('tick');
    await allUsers[1]?.register('tock');
    const bulk = await sendForm(server, '/userapi/bulk', {
      action: 'delete-user',
      user: ['localhost/tick', 'localhost/tock'],
      confirm: '2',
    });
    const back = await send('/userapi/undo', undoOf(bulk.text, 'occasion'));
    expect(await led(back)).toContain('2 deletions are undone.');
    expect((await allUsers[0]?.signIn('tick'))?.status).toBe(200);

    const { address, upload: id } = await uploadList('localhost', ['tick', 'tock']);
    await send(`/userapi/deletelistusers/${id}/start`, { confirm: '2' });
    await server.get(BatchRunner).catchUp();
    const shown = (await admin.get(address, HTML)).text;
    expect(undoOf(shown, 'occasion')).toEqual({ occasion: id });
    const { text } = await admin.get('/userapi/deleted', HTML);
    expect(text).toContain('2 users were deleted at once:');
    expect(undoOf(text, 'occasion')).toEqual({ occasion: id });
    await newUser().register('tick');
    const partly = await led(await send('/userapi/undo', { occasion: id }));
    expect(partly).toContain('1 deletion is undone, 1 could not be: <bdi>tick</bdi>. Somebody');
    expect((await allUsers[1]?.signIn('tock'))?.status).toBe(200);
    await end();
    const after = (await admin.get(address, HTML)).text;
    expect(after).toContain('Nothing is left to undo.');
    expect(after).not.toContain('/userapi/undo');
  });

  it('the undo of a deletion is not possible after an erasure or a deleted relying party', async () => {
    const blue = newUser();
    const red = newUser();
    await blue.register('forget me');
    await red.register('forget me');
    await removeKey('forget me', red);
    await remove('forget me');
    expect(await keptOf('forget me')).toBe(2);
    await send('/userapi/user/erasure', {
      name: 'forget me',
      confirm: 'forget me',
      rp: 'localhost',
    });
    expect(await keptOf('forget me')).toBe(0);

    await server.addRelyingParty('leaving', { domain: 'leaving.example' });
    const rp = relyingPartyOf(server, 'leaving.example');
    await settle(server, rp, [{ username: 'leaver' }]);
    await send('/userapi/user', {
      action: 'delete-user',
      name: 'leaver',
      rp: rp.domain,
      confirm: 'leaver',
    });
    expect(await keptOf('leaver')).toBe(1);
    await admin.send('/tenantapi/tenants/leaving', { method: 'DELETE' });
    await end();
    expect(await keptOf('leaver')).toBe(0);
  });

  it.each(['another key', 'no other key'])(
    'restores a key as disabled if its user with %s was disabled meanwhile',
    async (others) => {
      const name = `locked out with ${others}`;
      const one = newUser();
      await one.register(name);
      if (others === 'another key') await newUser().register(name);
      await removeKey(name, one);
      const shown = undoOf((await pageOf(name)).text);
      await new AdminClient(server.url, 'localhost').manage({ type: 'disableall', filter: name });
      expect(await led(await send('/userapi/undo', shown))).toContain('is back');
      expectRefusal(await one.signInNameless(), 'E0034R');
      expect(
        await countOf(
          server,
          'credentials WHERE user_id = ? AND enabled = 1',
          await idOfUser(name),
        ),
      ).toBe(0);
      const [event] = await rowsOf<{ detail: string }>(
        server,
        "SELECT detail FROM events WHERE kind = 'imported' AND username = ?",
        Buffer.from(name),
      );
      expect(event?.detail).toBe('disabled');
    },
  );

  it('restores a key as disabled if all keys of its model were disabled since', async () => {
    const one = newUser();
    const other = newUser();
    await one.register('recalled');
    await other.register('recalled');
    await removeKey('recalled', one);
    const [key] = await rowsOf<{ aaguid: Buffer }>(server, 'SELECT aaguid FROM deleted_keys');
    const rps = [relyingPartyOf(server, 'localhost')];
    const model = aaguidText(key?.aaguid ?? Buffer.alloc(16));
    await server.get(ModelJobs).start(modelCall(server, rps, model), 'Stolen');
    await undo('recalled');
    await server.get(BatchRunner).catchUp();
    expectRefusal(await one.signInNameless(), 'E0034R');
    const byJob = `credentials WHERE user_id = ? AND enabled = 0 AND disabled_by LIKE '%Stolen%'`;
    expect(await countOf(server, byJob, await idOfUser('recalled'))).toBe(2);
  });

  it.each([
    ['after all keys of its model were disabled', 201, Infinity],
    ['while others of its model were disabled', 450, 400],
  ])(
    'restores a key as disabled that was deleted during a job and comes back %s',
    async (_, holders, restoredAt) => {
      const domain = `recall-${holders}.example`;
      await server.addRelyingParty('acme', { domain });
      const rp = relyingPartyOf(server, domain);
      // More users than a job changes at a time.
      const model = Buffer.alloc(16, 7);
      const many = Array.from({ length: holders }, (_, n) => ({ username: `holder-${n}`, model }));
      await settle(server, rp, many);
      // Behind the first users that the job changes, and before those that it changes third.
      const [holder] = await rowsOf<{ username: Buffer }>(
        server,
        `SELECT u.username FROM credentials c JOIN users u ON u.id = c.user_id
         WHERE c.relying_party_id = ? ORDER BY c.credential_hash LIMIT 1 OFFSET 200`,
        rp.id,
      );
      const fields = { name: `${holder?.username.toString()}`, rp: domain };
      const restore = async () => {
        const { text } = await admin.get(`/userapi/user?${new URLSearchParams(fields)}`, HTML);
        await send('/userapi/undo', undoOf(text));
      };
      await server.get(ModelJobs).start(modelCall(server, [rp], aaguidText(model)), 'Recalled');
      const held = 'credentials WHERE relying_party_id = ?';
      let isDeleted = false;
      let isBack = false;
      const underWay = `model_jobs WHERE state = 'disabling'`;
      do {
        await server.get(BatchRunner).catchUp(async () => {
          const disabled = await countOf(server, `${held} AND enabled = 0`, rp.id);
          const confirm = { action: 'delete-user', confirm: fields.name };
          if (disabled === 200 && !isDeleted) {
            isDeleted = true;
            await send('/userapi/user', { ...fields, ...confirm });
          }
          if (disabled === restoredAt && !isBack) {
            isBack = true;
            await restore();
          }
          return true;
        });
      } while ((await countOf(server, underWay)) > 0);
      if (!isBack) await restore();
      expect(await countOf(server, held, rp.id)).toBe(holders);
      expect(await countOf(server, `${held} AND enabled = 1`, rp.id)).toBe(0);
    },
  );

  it('restores a key as disabled that an account disabled during a job which was undone', async () => {
    const one = newUser();
    const other = newUser();
    await one.register('stolen twice');
    await other.register('stolen twice');
    await removeKey('stolen twice', one);
    const [key] = await rowsOf<{ aaguid: Buffer }>(server, 'SELECT aaguid FROM deleted_keys');
    const rps = [relyingPartyOf(server, 'localhost')];
    const model = aaguidText(key?.aaguid ?? Buffer.alloc(16));
    const jobs = server.get(ModelJobs);
    const runner = server.get(BatchRunner);
    const call = modelCall(server, rps, model);
    const job = await jobs.start(call);
    await runner.catchUp();
    const stolen = { type: 'disableall', filter: 'stolen twice' };
    await new AdminClient(server.url, 'localhost').manage(stolen);
    await jobs.change('undo', call, job.id);
    await runner.catchUp();
    await undo('stolen twice');
    expectRefusal(await one.signInNameless(), 'E0034R');
    expectRefusal(await other.signInNameless(), 'E0034R');
  });

  /** Deletes users of a model, and starts a job that disables its keys. */
  async function jobWithDeleted(domain: string, model: Buffer, names: readonly string[]) {
    await server.addRelyingParty('acme', { domain });
    const rp = relyingPartyOf(server, domain);
    const allUsers = ['holder', ...names].map((username) => ({ username, model }));
    await settle(server, rp, allUsers);
    await new AdminClient(server.url, domain).manage({ type: 'disableall', filter: 'disabled*' });
    for (const name of names) {
      const fields = { action: 'delete-user', name, rp: domain, confirm: name };
      await send('/userapi/user', fields);
    }
    const jobs = server.get(ModelJobs);
    const call = modelCall(server, [rp], aaguidText(model));
    const { id } = await jobs.start(call, 'Lost');
    const restore = async (name: string) => {
      const query = new URLSearchParams({ name, rp: domain });
      const { text } = await admin.get(`/userapi/user?${query}`, HTML);
      await send('/userapi/undo', undoOf(text));
    };
    const state = async () => (await jobs.find([rp], aaguidText(model), id)).parts[0];
    const enabledOf = async (name: string) => {
      const rows = await rowsOf<{ enabled: number }>(
        server,
        `SELECT c.enabled FROM credentials c JOIN users u ON u.id = c.user_id
         WHERE c.relying_party_id = ? AND u.username = ?`,
        ...[rp.id, Buffer.from(name)],
      );
      return rows.map(({ enabled }) => Boolean(enabled));
    };
    const change = (what: BatchChange) => jobs.change(what, call, id);
    return { change, restore, state, enabledOf };
  }

  it('restores a key as enabled if the job that disabled it has been undone since', async () => {
    const names = ['gone', 'back before', 'disabled before'];
    const { change, restore, state, enabledOf } = await jobWithDeleted(
      'relieved.example',
      Buffer.alloc(16, 8),
      names,
    );
    const runner = server.get(BatchRunner);
    await runner.catchUp();
    expect(await state()).toMatchObject({ state: 'disabled', changedKeys: 3, changedUsers: 1 });
    await restore('back before');
    expect(await enabledOf('back before')).toEqual([false]);
    await change('undo');
    await runner.catchUp();
    expect(await state()).toMatchObject({ state: 'undone', undoneKeys: 3, changedKeys: 3 });
    await restore('gone');
    await restore('disabled before');
    expect(await enabledOf('gone')).toEqual([true]);
    expect(await enabledOf('back before')).toEqual([true]);
    expect(await enabledOf('disabled before')).toEqual([false]);
  });

  it('restores a key as enabled if the job was stopped before it disabled the key', async () => {
    const { change, restore, state, enabledOf } = await jobWithDeleted(
      'spared.example',
      Buffer.alloc(16, 9),
      ['gone'],
    );
    const runner = server.get(BatchRunner);
    let asked = 0;
    // The second question comes after the job was read, and before its first page.
    await runner.catchUp(async () => {
      asked += 1;
      if (asked === 2) await change('stop');
      return true;
    });
    expect(await state()).toMatchObject({ state: 'stopped', changedKeys: 0 });
    await restore('gone');
    expect(await enabledOf('gone')).toEqual([true]);
    await change('resume');
    await runner.catchUp();
    expect(await enabledOf('gone')).toEqual([false]);
    expect(await state()).toMatchObject({ state: 'disabled', changedKeys: 2, changedUsers: 2 });
  });

  it('restores a key of a model that was blocked since as a finding, in one unit', async () => {
    const one = newUser();
    await one.register('blocked');
    await remove('blocked');
    const [key] = await rowsOf<{ aaguid: Buffer }>(server, 'SELECT aaguid FROM deleted_keys');
    const hex = key?.aaguid.toString('hex') ?? '';
    const aaguid = hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
    const policy = { aaguid: 'reported', block: [aaguid], onFinding: 'disable' };
    await setPolicy(policy);
    const fields = undoOf((await pageOf('blocked')).text);
    // The process is killed as soon as the restoration is stored.
    const database = server.get(Database);
    const commit = database.commit.bind(database);
    const killed = jest.spyOn(database, 'commit').mockImplementation(async (...unit) => {
      await commit(...unit);
      throw new Error('killed');
    });
    expect((await send('/userapi/undo', fields)).status).toBe(500);
    killed.mockRestore();
    expectRefusal(await one.signInNameless(), 'E0034R');
    const kinds = await kindsOf('blocked');
    expect(kinds.slice(kinds.indexOf('imported'))).toEqual(['imported', 'finding', 'disabled']);
    await setPolicy({});
  });

  function send(path: string, fields: Record<string, string>, name = 'admin') {
    return sendForm(server, path, fields, { name });
  }

  /** Uploads a list of users to delete; returns the address of its page. */
  async function uploadList(rp: string, names: readonly string[]) {
    const list = new FormData();
    list.set('file', new File([names.join('\n')], 'leavers.txt'));
    const formToken = server.get(FormTokens).issue({ name: 'admin', role: 'admin' });
    const path = `/userapi/deletelistusers/file?rp=${rp}&formToken=${formToken}`;
    const { headers } = await admin.send(path, { method: 'POST', headers: BROWSER, body: list });
    const address = headers.get('location') ?? '';
    return { address, upload: new URL(address, server.url).searchParams.get('upload') ?? '' };
  }

  function remove(name: string, reason = '') {
    return send('/userapi/user', {
      action: 'delete-user',
      name,
      rp: 'localhost',
      confirm: name,
      reason,
    });
  }

  function removeKey(name: string, of: FidoClient) {
    return send('/userapi/user', { action: 'delete-key', name, rp: 'localhost', key: of.keyId });
  }

  async function pageOf(name: string, client = admin) {
    return client.get(`/userapi/user?name=${name}&rp=localhost`, HTML);
  }

  /** The fields of the button that undoes one deletion, or all of one occasion. */
  function undoOf(text: string, by = 'deletion'): Record<string, string> {
    const forms = [...text.matchAll(/action="\/userapi\/undo"[^>]*>(.*?)<\/form>/gs)].map(
      ([, form = '']) =>
        [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)]
          .map(([, name = '', value = '']) => [name, value] as const)
          .filter(([name]) => name !== 'formToken'),
    );
    return Object.fromEntries(forms.find((form) => form.some(([name]) => name === by)) ?? []);
  }

  async function undo(name: string) {
    const fields = undoOf((await pageOf(name)).text);
    expect(fields).toMatchObject({ name, rp: 'localhost' });
    return send('/userapi/undo', fields);
  }

  async function stored(name: string) {
    const [user] = await rowsOf<{ id: Buffer }>(
      server,
      'SELECT * FROM users WHERE username = ?',
      Buffer.from(name),
    );
    const of = (table: string, more = '') =>
      rowsOf(server, `SELECT * FROM ${table} WHERE user_id = ? ${more}`, user?.id ?? null);
    return {
      user,
      keys: await of('credentials', 'ORDER BY id'),
      words: await of('search_words', 'ORDER BY word'),
      handles: await of('further_handles', 'ORDER BY handle'),
      names: await of('earlier_names', 'ORDER BY username'),
      attestations: await rowsOf(
        server,
        'SELECT * FROM attestations WHERE id IN (SELECT id FROM credentials WHERE user_id = ?) ORDER BY id',
        user?.id ?? null,
      ),
    };
  }

  async function idOfUser(name: string): Promise<Buffer> {
    const { user } = await stored(name);
    return user?.id ?? Buffer.alloc(0);
  }

  async function keptOf(name: string) {
    return countOf(server, 'deletions WHERE username = ?', Buffer.from(name));
  }

  async function kindsOf(name: string) {
    return (
      (
        await rowsOf<{ kind: string }>(
          server,
          'SELECT kind FROM events WHERE username = ? ORDER BY id',
          Buffer.from(name),
        )
      )
        .map(({ kind }) => kind)
        // Refusals are stored a moment later, or not yet.
        .filter((kind) => !kind.endsWith('-refused'))
    );
  }

  function setPolicy(policy: object) {
    return admin.patch('/tenantapi/tenants/default/relying-parties/localhost', { policy });
  }

  /** The banner of a form for the next page. */
  async function led(answer: { headers: Headers }) {
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const to = answer.headers.get('location') ?? '';
    return (await admin.get(to, { ...HTML, cookie })).text;
  }
});
