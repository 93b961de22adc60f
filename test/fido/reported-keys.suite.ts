import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import { FLAGS } from '../../packages/testing/src/structures.js';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { bearer, issueKey, keyClient } from '../support/application-keys.js';
import { fireTogether, type Shot } from '../support/barrier.js';
import type { Answer } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const ROUNDS = 5;
const REPORTED = { rule: 'reported', errorCode: 'E0034R', action: 'report', enabled: false };

describe.each(DATABASES)('reports of keys by their users, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  it('a reported key is disabled at once, with a finding, an event and an audit row', async () => {
    const { name, domain, own, strange, findings } = await newUser('anna');
    const begun = await strange.client.beginAuthentication(name);
    const answer = await report(domain, strange.id, own.token);
    const key = { credentialId: strange.id, enabled: false, current: false };
    expect(answer).toMatchObject({ status: 200, body: { key, signals: { rpId: domain } } });
    const assertion = strange.client.assert(begun);
    expectRefusal(await strange.client.completeAuthentication(assertion), 'E0034R');
    expect((await own.client.signIn(name)).status).toBe(200);
    expect(await findings()).toMatchObject([
      { username: name, credentialId: strange.id, acceptedBy: null, ...REPORTED },
    ]);
    expect(await eventsOf(strange.client)).toEqual(['key-reported', 'disabled']);
    expect(await reportsOf(name)).toEqual([{ account: 'user', device: strange.id }]);
  });

  it('a repeated report of a key gets the same answer and changes nothing', async () => {
    const { name, domain, own, strange, findings } = await newUser('ben');
    const first = await report(domain, strange.id, own.token);
    const before = await server.snapshot();
    const second = await report(domain, strange.id, own.token);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await server.snapshot()).toBe(before);
    expect(await findings()).toHaveLength(1);
    expect(await reportsOf(name)).toHaveLength(1);
  });

  it('simultaneous reports of one key all succeed and store one report', async () => {
    const { name, domain, own, strange, findings } = await newUser('carl');
    const shots = Array.from({ length: 4 }, () => shotOf(domain, strange.id, own.token));
    const statuses = (await fireTogether(shots)).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(await findings()).toMatchObject([REPORTED]);
    expect(await eventsOf(strange.client)).toEqual(['key-reported', 'disabled']);
    expect(await reportsOf(name)).toHaveLength(1);
  });

  it('of two keys that report each other at the same time, the first one is believed', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { name, domain, own, strange, findings, admin } = await newUser(`dora-${round}`);
      const answers = await fireTogether([
        shotOf(domain, strange.id, own.token),
        shotOf(domain, own.id, strange.token),
      ]);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.map(({ body }) => body['errorCode'])).toEqual(['E0043R']);
      expect(await findings()).toHaveLength(1);
      expect(await reportsOf(name)).toHaveLength(1);
      const [user] = await admin.list(name);
      expect(user?.credentials.filter(({ enabled }) => enabled)).toHaveLength(1);
    }
  });

  it('a user can report neither the key that signed in (E0045R) nor another user’s (E0033R)', async () => {
    const { domain, own } = await newUser('emma');
    const other = await newUser('fritz');
    const before = await server.snapshot();
    const itself = await report(domain, own.id, own.token);
    expectRefusal(itself, 'E0045R', 400);
    expect(itself.body).toMatchObject({ reason: 'myKeys.reportsItself' });
    for (const id of [other.strange.id, 'AAAA']) {
      expectRefusal(await report(domain, id, own.token), 'E0033R');
    }
    expectRefusal(await report(other.domain, other.strange.id, own.token), 'E0042R', 401);
    expect(await server.snapshot()).toBe(before);
  });

  it('a key that is disabled already cannot be reported (E0034R)', async () => {
    const { domain, own, strange } = await newUser('gina');
    await disableCredentials(server, strange.client.authenticator);
    const answer = await report(domain, strange.id, own.token);
    expectRefusal(answer, 'E0034R', 403);
    expect(answer.body).toMatchObject({ reason: 'myKeys.disabled' });
  });

  it('the report of a key needs a fresh, verified sign-in of the user (E0042R, E0043R)', async () => {
    // A stale token expires seconds later.
    server.clock.standAt(Date.now());
    const { name, domain, own, strange } = await newUser('hugo');
    const tokenOf = ({ body }: Answer) => bearer(String(body['token']));
    expectRefusal(await report(domain, strange.id, {}), 'E0042R', 401);
    const unverified = { flags: (flags: number) => flags & ~FLAGS.UV };
    const weak = tokenOf(await own.client.signIn(name, unverified));
    expectRefusal(await report(domain, strange.id, weak), 'E0043R');
    const scopes = ['ceremonies', 'users:write'];
    const { secret } = await issueKey(server.url, { tenant: 'acme', scopes });
    const backend = keyClient(server.url, secret, domain);
    const path = `/fidoapi/keys/${strange.id}/report`;
    expectRefusal(await backend.post(`${path}?username=${name}`, {}), 'E0043R');
    server.clock.advance(302_000);
    expectRefusal(await report(domain, strange.id, own.token), 'E0043R');
    const fresh = tokenOf(await own.client.signIn(name));
    expect((await report(domain, strange.id, fresh)).status).toBe(200);
    server.clock.goOn();
  });

  it('a reported key signs in again after an account has enabled it, which closes the finding', async () => {
    const { name, domain, own, strange, admin, findings } = await newUser('ida');
    await report(domain, strange.id, own.token);
    const shots = Array.from({ length: 2 }, () =>
      admin.manage({ type: 'enabledevice', filter: name, device: strange.id }),
    );
    const changed = (await Promise.all(shots)).map(({ body }) => body['credentials']);
    expect(changed.toSorted()).toEqual([0, 1]);
    expect(await findings()).toEqual([]);
    expect((await strange.client.signIn(name)).status).toBe(200);
    expect((await eventsOf(strange.client)).toSorted()).toEqual(
      ['disabled', 'key-reported', 'enabled', 'finding-closed reported'].toSorted(),
    );
    // Somebody else has added it after all.
    expect((await report(domain, strange.id, own.token)).status).toBe(200);
    expect(await findings()).toMatchObject([REPORTED]);
    await admin.manage({ type: 'deldevice', filter: name, device: strange.id });
    expect(await findings()).toEqual([]);
  });

  it('a reported key keeps its finding when keys are evaluated again or an account disables it', async () => {
    const { name, domain, own, strange, admin, changePolicy, findings } = await newUser('jan');
    await report(domain, strange.id, own.token);
    await changePolicy({ algorithms: ['EdDSA'], onFinding: 'disable' });
    const found = [
      { credentialId: own.id, rule: 'algorithms', action: 'disable' },
      { credentialId: strange.id, ...REPORTED },
    ];
    expect(await findings()).toMatchObject(found);
    await admin.manage({ type: 'disabledevice', filter: name, device: strange.id });
    await changePolicy({ onFinding: 'disable' });
    expect(await findings()).toMatchObject([REPORTED]);
  });

  it('a reported key is still reported when the deletion of its user is undone', async () => {
    const { name, domain, own, strange, findings } = await newUser('mia');
    await report(domain, strange.id, own.token);
    const user = { name, rp: domain };
    await form('/userapi/user', { action: 'delete-user', ...user, confirm: name });
    expect(await findings()).toEqual([]);
    const [deletion] = await rowsOf<{ id: Buffer }>(
      server,
      'SELECT id FROM deletions WHERE username = ?',
      Buffer.from(name),
    );
    const id = deletion?.id.toString('base64url') ?? '';
    await form('/userapi/undo', { ...user, deletion: id });
    expect(await findings()).toMatchObject([{ credentialId: strange.id, ...REPORTED }]);
  });

  it('a reported key is shown as such on the pages of its user and of findings', async () => {
    const { name, domain, own, strange, admin } = await newUser('nora');
    await report(domain, strange.id, own.token);
    const page = async (path: string, query: Record<string, string> = {}) => {
      const address = `${path}?${new URLSearchParams(query).toString()}`;
      return (await admin.get(address, { accept: 'text/html' })).text;
    };
    const user = await page('/userapi/user', { name, rp: domain });
    expect(user).toMatch(/The user reported the key at <time datetime="\d{4}-\d\d-\d\d/);
    expect(user).toContain('Reported a key: “This was not me”');
    expect(user).not.toContain('now breaks a rule');
    const inbox = await page('/findings');
    expect(inbox).toContain('Keys that their users reported');
    const list = { kind: 'rule', rule: 'reported', rp: domain };
    const keys = await page('/findings/keys', list);
    expect(keys).toContain('Reported by its user');
    expect(keys).toContain(name);
  });

  it('a reported key gets the policy’s finding back when an account enables it', async () => {
    const { name, domain, own, strange, admin, changePolicy, findings } = await newUser('kim');
    const rules = { algorithms: ['EdDSA'] } as const;
    await changePolicy({ ...rules, onFinding: 'report' });
    expect(await findings()).toMatchObject([{ rule: 'algorithms' }, { rule: 'algorithms' }]);
    await report(domain, strange.id, own.token);
    expect(await findings()).toMatchObject([{ rule: 'algorithms' }, REPORTED]);
    await changePolicy({ ...rules, onFinding: 'refuse-next-sign-in' });
    await admin.manage({ type: 'enableall', filter: name });
    const refused = { rule: 'algorithms', action: 'refuse-next-sign-in', enabled: true };
    expect(await findings()).toMatchObject([refused, refused]);
    expectRefusal(await strange.client.signIn(name), 'E0039R');
    expect((await eventsOf(strange.client)).slice(-2)).toEqual([
      'finding-closed reported',
      'finding algorithms',
    ]);
  });

  it('an account that enables a reported key accepts the rule that the key broke meanwhile', async () => {
    const { name, domain, own, strange, admin, changePolicy, findings } = await newUser('olga');
    await report(domain, strange.id, own.token);
    await changePolicy({ algorithms: ['EdDSA'], onFinding: 'disable' });
    await admin.manage({ type: 'enableall', filter: name });
    const accepted = { rule: 'algorithms', enabled: true, acceptedBy: 'admin' };
    expect(await findings()).toMatchObject([accepted, accepted]);
    expect((await strange.client.signIn(name)).status).toBe(200);
  });

  it('a reported key stays accepted in spite of a rule if an account accepted it before', async () => {
    const { name, domain, own, strange, admin, changePolicy, findings } = await newUser('lea');
    await changePolicy({ algorithms: ['EdDSA'], onFinding: 'disable' });
    await admin.manage({ type: 'enableall', filter: name });
    const token = bearer(String((await own.client.signIn(name)).body['token']));
    expect((await report(domain, strange.id, token)).status).toBe(200);
    await admin.manage({ type: 'enableall', filter: name });
    const accepted = { rule: 'algorithms', enabled: true, acceptedBy: 'admin' };
    expect(await findings()).toMatchObject([accepted, accepted]);
    expect((await strange.client.signIn(name)).status).toBe(200);
  });

  /** A user with two keys at a relying party of their own, and a token of a sign-in with each. */
  async function newUser(name: string, policy: RelyingPartyPolicy = {}) {
    const domain = `${name}.example`;
    await server.addRelyingParty('acme', { domain, policy });
    const at = { relyingParty: domain };
    const [own, strange] = [new FidoClient(server.url, at), new FidoClient(server.url, at)];
    const keyOf = async (client: FidoClient) => {
      expect((await client.register(name)).status).toBe(200);
      const token = bearer(String((await client.signIn(name)).body['token']));
      const id = client.keyId;
      return { client, token, id };
    };
    const admin = new AdminClient(server.url, domain);
    const changePolicy = async (changed: RelyingPartyPolicy) => {
      const tenancy = server.get(TenancyService);
      await tenancy.changeRelyingParty(server.call, 'acme', domain, { policy: changed });
      await evaluateKeys(server);
    };
    const findings = async () => (await admin.get('/userapi/findings')).body['findings'];
    const keys = { own: await keyOf(own), strange: await keyOf(strange) };
    return { name, domain, ...keys, admin, changePolicy, findings };
  }

  function shotOf(domain: string, id: string, token: Record<string, string>): Shot {
    return {
      url: `${server.url}/fidoapi/keys/${id}/report`,
      body: {},
      headers: { ...token, 'x-servicefido-relyingparty': domain },
    };
  }

  function report(domain: string, id: string, token: Record<string, string>) {
    return new FidoClient(server.url, { relyingParty: domain }).post(
      `/fidoapi/keys/${id}/report`,
      {},
      token,
    );
  }

  /** The events of a key that change its state or its finding, with their details. */
  async function eventsOf({ authenticator }: FidoClient): Promise<string[]> {
    const rows = await rowsOf<{ kind: string; detail: string | null }>(
      server,
      `SELECT e.kind, e.detail FROM events e JOIN credentials c
         ON SUBSTR(c.credential_hash, 1, 8) = e.credential
       WHERE c.credential_id = ?
         AND e.kind IN ('enabled', 'disabled', 'finding', 'finding-closed', 'key-reported')
       ORDER BY e.at, e.kind DESC`,
      authenticator.credentials[0]?.id ?? '',
    );
    return rows.map(({ kind, detail }) => [kind, detail].filter(Boolean).join(' '));
  }

  function form(path: string, fields: Readonly<Record<string, string>>) {
    return sendForm(server, path, fields, { headers: { accept: 'text/html' } });
  }

  async function reportsOf(name: string) {
    const rows = await rowsOf<{ account: Buffer; detail: string }>(
      server,
      "SELECT account, detail FROM audit WHERE action = 'my-keys.report' AND target = ?",
      Buffer.from(name),
    );
    return rows.map(({ account, detail }) => ({
      account: account.toString(),
      device: (JSON.parse(detail) as { device: string }).device,
    }));
  }
});
