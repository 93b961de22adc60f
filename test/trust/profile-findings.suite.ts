import { RegroupedKeys } from '../../src/trust/findings/regrouped-keys.js';
import { MoveDecisions } from '../../src/users/moves/move-decisions.js';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import type { Answer } from '../support/client.js';
import { sendForm } from '../support/console-form.js';
import { DATABASES } from '../support/databases.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { policyPlace, type PolicyPlace } from '../support/policy-place.js';
import { NO_ACCOUNT, expectRefusal } from '../support/refusals/refusal.js';
import { countOf, rowsOf } from '../support/rows.js';
import { ScimClient } from '../support/scim-client.js';
import { BY_HAND, TestServer } from '../support/test-server.js';

const HARD = {
  name: 'Administrators',
  group: 'admins',
  rules: { backupEligible: 'refused', onFinding: 'disable' },
} as const;
const SOFT = { name: 'Staff', group: 'staff', rules: { backupEligible: 'allowed' } } as const;
const SYNCED = { backupEligible: true };
const SETTLE_MS = 5_000;
/** Of users whose keys are evaluated at a time. */
const MORE_THAN_A_PAGE = 25;

describe.each(DATABASES)('findings by profile, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    // The server's own rounds would evaluate the keys of users whose notes a test counts.
    server = await TestServer.start({ on, options: { scim: true }, speed: BY_HAND });
  });
  afterAll(() => server.stop());

  const place = (policy: RelyingPartyPolicy) => policyPlace(server, policy);
  const found = async ({ admin }: PolicyPlace) =>
    (await admin.get('/userapi/findings')).body['findings'];

  it.each([
    ['the hard profile first', [HARD, SOFT], true],
    ['the soft profile first', [SOFT, HARD], false],
  ] as const)(
    'a change of groups has the keys evaluated again: %s',
    async (_, profiles, isHard) => {
      const at = await place({ profiles });
      const anna = await at.registered('anna', ['staff'], SYNCED);
      const ben = await at.registered('ben', [], SYNCED);
      await at.setGroups('anna', ['staff', 'admins']);
      await at.setGroups('ben', ['admins']);
      await evaluateKeys(server);
      const ofBen = { username: 'ben', rule: 'backupEligible', action: 'disable', enabled: false };
      const both = [{ ...ofBen, username: 'anna' }, ofBen];
      expect(await found(at)).toMatchObject(isHard ? both : [ofBen]);
      expect((await anna.signIn('anna')).status).toBe(isHard ? 403 : 200);
      expectRefusal(await ben.signIn('ben'), NO_ACCOUNT);
      await at.setGroups('ben', ['staff']);
      await at.setGroups('anna', ['staff']);
      await evaluateKeys(server);
      expect(await found(at)).toEqual([]);
      for (const [client, name] of [
        [anna, 'anna'],
        [ben, 'ben'],
      ] as const)
        expect((await client.signIn(name)).status).toBe(200);
    },
  );

  it('a change of the profiles or of their order has all keys evaluated again', async () => {
    const at = await place({ profiles: [SOFT, HARD] });
    await at.registered('carl', ['admins', 'staff'], SYNCED);
    await evaluateKeys(server);
    expect(await found(at)).toEqual([]);
    await at.setPolicy({ profiles: [HARD, SOFT] });
    await evaluateKeys(server);
    expect(await found(at)).toMatchObject([{ username: 'carl', action: 'disable' }]);
    await at.setPolicy({ profiles: [SOFT] });
    await evaluateKeys(server);
    expect(await found(at)).toEqual([]);
  });

  it('users are noted with the change of their groups, if a profile names one of these', async () => {
    const at = await place({ profiles: [HARD] });
    await at.registered('dora', [], SYNCED);
    const notes = () => countOf(server, 'regrouped_users');
    await evaluateKeys(server);
    await at.setGroups('dora', ['staff']);
    expect(await notes()).toBe(0);
    await at.setGroups('dora', ['staff', 'admins']);
    expect(await notes()).toBe(1);
    await at.setGroups('dora', ['staff']);
    await at.setGroups('dora', ['admins']);
    expect(await notes()).toBe(3);
    await evaluateKeys(server);
    expect(await notes()).toBe(0);
    expect(await found(at)).toMatchObject([{ username: 'dora' }]);
  });

  it('a note waits until registrations by the former groups are over', async () => {
    const at = await place({ profiles: [HARD] });
    await evaluateKeys(server);
    await at.registered('emil', ['admins'], SYNCED);
    const keys = server.get(RegroupedKeys);
    await keys.evaluate(SETTLE_MS);
    expect(await countOf(server, 'regrouped_users')).toBe(1);
    expect(await found(at)).toEqual([]);
    await keys.evaluate(0);
    expect(await countOf(server, 'regrouped_users')).toBe(0);
    expect(await found(at)).toMatchObject([{ username: 'emil' }]);
  });

  it('the notes of a large group wait together, not one page after another', async () => {
    const at = await place({ profiles: [HARD] });
    const { tenant, domain } = at;
    await evaluateKeys(server);
    const directory = await ScimClient.start(server.url, { tenant, domain });
    const members = [];
    for (let n = 0; n < MORE_THAN_A_PAGE; n += 1)
      members.push({ value: await directory.created({ userName: `member ${n}` }) });
    expect((await at.newUser(SYNCED).register(`member ${MORE_THAN_A_PAGE - 1}`)).status).toBe(200);
    await directory.createGroup({ displayName: 'admins', members });
    const keys = server.get(RegroupedKeys);
    await keys.evaluate(SETTLE_MS);
    expect(await countOf(server, 'regrouped_users')).toBe(MORE_THAN_A_PAGE);
    // Notes that are seen for the first time are not due.
    await keys.evaluate(Number.MIN_VALUE);
    expect(await countOf(server, 'regrouped_users')).toBe(0);
    expect(await found(at)).toMatchObject([{ username: `member ${MORE_THAN_A_PAGE - 1}` }]);
  });

  it('a change of a group by a directory has the keys of its members evaluated again', async () => {
    const at = await place({ profiles: [HARD] });
    const { tenant, domain } = at;
    const directory = await ScimClient.start(server.url, { tenant, domain });
    const value = await directory.created({ userName: 'lena' });
    expect((await at.newUser(SYNCED).register('lena')).status).toBe(200);
    await evaluateKeys(server);
    expect(await found(at)).toEqual([]);
    const members = [{ value }];
    const { body } = await directory.createGroup({ displayName: 'admins', members });
    await evaluateKeys(server);
    expect(await found(at)).toMatchObject([{ username: 'lena', action: 'disable' }]);
    await directory.call('DELETE', `/Groups/${String(body['id'])}`);
    await evaluateKeys(server);
    expect(await found(at)).toEqual([]);
  });

  it('the deletion of a user deletes the note, and its undo evaluates the keys by the old groups', async () => {
    const at = await place({ profiles: [HARD] });
    await at.registered('fred', ['admins'], SYNCED);
    const form = (path: string, fields: Record<string, string>) =>
      sendForm(server, path, { ...fields, name: 'fred', rp: at.domain });
    const gone = await form('/userapi/user', { action: 'delete-user', confirm: 'fred' });
    expect(gone.status).toBeLessThan(400);
    expect(await countOf(server, 'regrouped_users')).toBe(0);
    const [{ id }] = (await rowsOf(server, 'SELECT id FROM deletions')) as [{ id: Buffer }];
    await form('/userapi/undo', { deletion: id.toString('base64url') });
    expect(await found(at)).toMatchObject([{ username: 'fred', action: 'disable' }]);
  });

  it('a day from which a profile refuses sign-ins concerns its users alone', async () => {
    const from = new Date(server.clock.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    const backupEligible = { mode: 'enforce', value: 'refused', when: 'both', from } as const;
    const at = await place({ profiles: [{ ...HARD, rules: { backupEligible } }] });
    const gina = await at.registered('gina', ['admins'], SYNCED);
    const hana = await at.registered('hana', [], SYNCED);
    await evaluateKeys(server);
    const notice = { rule: 'backupEligible', errorCode: 'E0031R' };
    expect((await gina.signIn('gina')).body).toMatchObject({ notice });
    expect((await hana.signIn('hana')).body).not.toHaveProperty('notice');
    server.clock.advance(3 * 86_400_000);
    await evaluateKeys(server);
    expectRefusal(await gina.signIn('gina'), 'E0031R');
    expect((await hana.signIn('hana')).status).toBe(200);
  });

  it('the minimum PIN length of a profile is judged from the proofs of its users', async () => {
    const rules = { minPinLength: 6 } as const;
    const at = await place({ profiles: [{ ...HARD, rules }] });
    const register = async (username: string, minPinLength: number) => {
      const client = at.newUser({ attestation: 'packed', minPinLength });
      const asked = { attestation: 'direct', extensions: { minPinLength: true } };
      expect((await client.register(username, asked)).status).toBe(200);
      await at.setGroups(username, ['admins']);
    };
    await register('ivo', 5);
    await register('jana', 6);
    await evaluateKeys(server);
    expect(await found(at)).toMatchObject([{ username: 'ivo', rule: 'minPinLength' }]);
  });

  it('at the predecessor the groups at the successor count, once the user has arrived', async () => {
    const next = await place({});
    const old = await place({ profiles: [HARD] });
    const kurt = await old.registered('kurt', ['admins'], SYNCED);
    await next.takeOver(old);
    await evaluateKeys(server);
    const arriving = next.newUser({}, kurt.authenticator);
    const { body } = await arriving.signIn('kurt');
    const begun = { body: body['upgrade'] } as Answer;
    expect((await arriving.completeRegistration(arriving.create(begun))).status).toBe(200);
    // At the successor the user has no groups yet.
    await old.setPolicy({ registration: 'ticket', profiles: [HARD] });
    await evaluateKeys(server);
    expect(await found(old)).toEqual([]);
    await next.setGroups('kurt', ['admins']);
    await evaluateKeys(server);
    expect(await found(old)).toMatchObject([{ username: 'kurt', enabled: false }]);
  });

  describe('at the predecessor, whose policy has a profile', () => {
    const REPORTING = { ...HARD, rules: { ...HARD.rules, onFinding: 'report' } } as const;
    const rule = 'backupEligible';
    /** A user at both places, who has a key at the old one, and no groups. */
    const beforeMove = async (username: string) => {
      const [next, old] = [await place({}), await place({})];
      const client = await old.registered(username, [], SYNCED);
      const move = async () => {
        await next.takeOver(old);
        await old.setPolicy({ registration: 'ticket', profiles: [REPORTING] });
        await evaluateKeys(server);
        expect(await countOf(server, 'regrouped_users')).toBe(0);
      };
      return { next, old, client, move };
    };

    it('a user who arrives has the groups of the successor, which are none', async () => {
      const { next, old, client, move } = await beforeMove('lisa');
      await old.setGroups('lisa', ['admins']);
      await move();
      expect(await found(old)).toMatchObject([{ username: 'lisa', rule }]);
      const arriving = next.newUser({}, client.authenticator);
      expect((await arriving.signIn('lisa')).status).toBe(200);
      await evaluateKeys(server);
      expect(await found(old)).toMatchObject([{ username: 'lisa', rule }]);
      const { body } = await arriving.signIn('lisa');
      const made = arriving.create({ body: body['upgrade'] } as Answer);
      expect((await arriving.completeRegistration(made)).status).toBe(200);
      await evaluateKeys(server);
      expect(await found(old)).toEqual([]);
    });

    it('a user whom an account links has the groups of the successor', async () => {
      const { next, old, move } = await beforeMove('mona');
      await next.registered('mona', ['admins']);
      await move();
      expect(await found(old)).toEqual([]);
      const linked = { relyingParty: next.domain, username: 'mona' };
      expect((await next.admin.post('/userapi/collisions', linked)).status).toBe(201);
      await evaluateKeys(server);
      expect(await found(old)).toMatchObject([{ username: 'mona', rule }]);
    });

    it('a user who is found at the successor by the user ID has the groups there', async () => {
      const { next, old, move } = await beforeMove('nils');
      await move();
      const [{ id: oldId }] = (await rowsOf(
        server,
        'SELECT id FROM users WHERE username = ?',
        Buffer.from('nils'),
      )) as [{ id: Buffer }];
      await next.registered('niklas', ['admins']);
      // As an instance of an older version may add a user.
      for (const [where, name] of [
        ['id = ?', oldId],
        ['username = ?', Buffer.from('niklas')],
      ] as const)
        await rowsOf(
          server,
          `UPDATE users SET subject = ? WHERE ${where}`,
          Buffer.from('s-1'),
          name,
        );
      await server.get(MoveDecisions).catchUp();
      await evaluateKeys(server);
      expect(await found(old)).toMatchObject([{ username: 'nils', rule }]);
    });

    it('a user whose deletion is undone has the groups of the successor', async () => {
      const { next, old, move } = await beforeMove('olga');
      await next.registered('olga', ['admins']);
      await move();
      const linked = { relyingParty: next.domain, username: 'olga' };
      expect((await next.admin.post('/userapi/collisions', linked)).status).toBe(201);
      const form = { name: 'olga', rp: next.domain };
      const gone = { ...form, action: 'delete-user', confirm: 'olga' };
      expect((await sendForm(server, '/userapi/user', gone)).status).toBeLessThan(400);
      expect(await countOf(server, 'users WHERE username = ?', Buffer.from('olga'))).toBe(0);
      const deletions = await rowsOf<{ id: Buffer }>(
        server,
        'SELECT id FROM deletions WHERE username = ?',
        Buffer.from('olga'),
      );
      for (const { id } of deletions) {
        await sendForm(server, '/userapi/undo', { ...form, deletion: id.toString('base64url') });
      }
      expect(await countOf(server, 'users WHERE username = ?', Buffer.from('olga'))).toBe(2);
      await evaluateKeys(server);
      expect(await found(old)).toMatchObject([{ username: 'olga', rule }]);
    });
  });
});
