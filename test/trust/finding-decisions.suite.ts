import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { FormTokens } from '../../src/platform/access/form-token.js';
import { ACCOUNTS, accountsFile, clientOf } from '../support/accounts.js';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { evaluateKeys } from '../support/key-evaluation.js';
import { FidoClient } from '../support/fido-client.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { HTML } from '../support/client.js';
import { occasionIn } from '../support/page-forms.js';

const PATH = '/userapi/findings/decision';
const DAY_MS = 86_400_000;
const GLOBEX = { name: 'globex-helpdesk', role: 'helpdesk', tenants: ['globex'] } as const;

describe.each(DATABASES)('decisions about findings on %s', (on) => {
  let server: TestServer;
  let anna: FidoClient;
  let key: string;
  beforeAll(async () => {
    server = await TestServer.start({
      on,
      options: { accounts: accountsFile([...ACCOUNTS, GLOBEX]) },
    });
    for (const tenant of ['acme', 'globex']) {
      await server.addRelyingParty(tenant, { domain: `${tenant}.example` });
    }
    anna = new FidoClient(server.url, {
      relyingParty: 'acme.example',
    });
    key = String((await anna.register('anna')).body['credentialId']);
    const change = { policy: { algorithms: ['rs256'] } };
    await server
      .get(TenancyService)
      .changeRelyingParty(server.call, 'acme', 'acme.example', change);
    await evaluateKeys(server);
    await anna.signIn('anna');
    await alarm();
  });
  afterAll(() => server.stop());

  const alarm = async () =>
    expect((await anna.signIn('anna', { signCount: 1 })).body['errorCode']).toBe('E0035R');
  const rule = { kind: 'rule', subject: 'algorithms', relyingParty: 'acme.example' };
  const copied = () => ({ kind: 'copied', subject: key, relyingParty: 'acme.example' });
  const decide = (body: object, role = 'helpdesk') => clientOf(server.url, role).post(PATH, body);
  const inDays = (days: number) => new Date(server.clock.now() + days * DAY_MS).toISOString();
  const accept = (body: object, days = 2) =>
    decide({ ...body, action: 'accept', reason: 'replaced soon', until: inDays(days) });

  it('assign a finding to an account, with a row in the audit trail', async () => {
    const answer = await decide({ ...rule, action: 'assign', assignee: 'helpdesk' });
    expect(answer.body).toMatchObject({ ...rule, assignedTo: 'helpdesk', acceptedBy: null });
    expect(await page()).toContain('Assigned to <strong><bdi>helpdesk</bdi></strong>.');
    const { body } = await clientOf(server.url, 'auditor').get('/userapi/audit?limit=1');
    expect(body['entries']).toMatchObject([
      {
        action: 'finding.decide',
        relyingParty: 'acme.example',
        target: 'algorithms',
        detail: { decision: 'assign', kind: 'rule', assignee: 'helpdesk' },
      },
    ]);
    const released = await decide({ ...rule, action: 'release' });
    expect(released.body).toMatchObject({ assignedTo: null });
  });

  it('accept a finding until a time, at which it is open again', async () => {
    expect(await isListed('rules')).toBe(true);
    const { body } = await accept(rule);
    expect(body).toMatchObject({ acceptedBy: 'helpdesk', reason: 'replaced soon' });
    expect(await isListed('rules')).toBe(false);
    const past = await page('/findings?state=past');
    expect(past).toContain('accepted this until');
    expect(past).toContain('replaced soon');
    expect(past).toContain('value="reopen"');
    expect(await page('/userapi/user?rp=acme.example&name=anna')).toContain('replaced soon');
    server.clock.advance(3 * DAY_MS);
    expect(await isListed('rules')).toBe(true);
    expect(await page()).toContain('had accepted this until');
    await accept(rule);
    await decide({ ...rule, action: 'reopen' });
    expect(await isListed('rules')).toBe(true);
  });

  it('open a copied key again when its counter goes back once more', async () => {
    expect(await isListed('copied')).toBe(true);
    const user = '/userapi/user?rp=acme.example&name=anna';
    const COPIED = '<strong>This key may have been copied.</strong>';
    expect(await page(user)).toContain(COPIED);
    expect((await accept(copied())).status).toBe(200);
    expect(await isListed('copied')).toBe(false);
    const [, notice = ''] = (await page(user)).split(COPIED);
    expect(notice.split('</div>')[0]).toMatch(/helpdesk.+ accepted this until .+replaced soon/);
    server.clock.advance(1000);
    await alarm();
    // The hours with alarms are counted, and kept for forty times as long as that took.
    await eventually(async () => expect(await isListed('copied')).toBe(true));
    const [, again = ''] = (await page(user)).split(COPIED);
    expect(again.split('</div>')[0]).toMatch(/helpdesk.+ had accepted this until /);
  });

  it('keep a copied key open for as long as it is enabled, also under a new user name and after an undo', async () => {
    const admin = new AdminClient(
      server.url,
      'acme.example',
      clientOf(server.url, 'acme-admin').headers,
    );
    const berta = new FidoClient(server.url, {
      relyingParty: 'acme.example',
    });
    const subject = String((await berta.register('berta')).body['credentialId']);
    await berta.signIn('berta');
    await berta.signIn('berta', { signCount: 1 });
    const renamed = await admin.patch('/userapi/users', {
      username: 'berta',
      newUsername: 'bertha',
    });
    expect(renamed.status).toBe(200);
    server.clock.advance(30 * DAY_MS);
    expect(await page('/findings/keys?kind=copied')).toContain('bertha');
    expect(await page('/findings/keys?kind=copied')).toContain('anna');
    expect((await accept({ ...copied(), subject })).status).toBe(200);
    expect(await page()).not.toContain('bertha');
    server.clock.advance(3 * DAY_MS);
    expect(await page()).toContain('bertha');
    await admin.manage({ type: 'disableall', filter: 'bertha' });
    expect(await page()).not.toContain('bertha');
    await admin.manage({ type: 'enableall', filter: 'bertha' });
    expect(await page()).toContain('bertha');

    const post = (path: string, fields: Record<string, string>) =>
      admin.send(path, {
        method: 'POST',
        headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          ...fields,
          formToken: server.get(FormTokens).issue({ name: 'acme-admin', role: 'admin' }),
        }).toString(),
      });
    const user = 'acme.example/bertha';
    const { text } = await post('/userapi/bulk', { action: 'delete-user', confirm: '1', user });
    expect(await page()).not.toContain('bertha');
    const occasion = occasionIn(text);
    await post('/userapi/undo', { occasion });
    expect(await page()).toContain('bertha');
    await admin.manage({ type: 'deluser', filter: 'bertha' });
  });

  it('a finding keeps both of two decisions made at once', async () => {
    await rowsOf(server, 'DELETE FROM finding_decisions');
    const both = [accept(rule), decide({ ...rule, action: 'assign', assignee: 'auditor' })];
    for (const { status } of await Promise.all(both)) expect(status).toBe(200);
    const rows = await rowsOf(server, 'SELECT reason, assigned_to FROM finding_decisions');
    expect(rows).toEqual([{ reason: 'replaced soon', assigned_to: 'auditor' }]);
  });

  it.each([
    ['an unknown rule', { subject: 'block' }, 'E0044R'],
    ['a key without an alarm', { kind: 'copied', subject: 'AAAA' }, 'E0044R'],
    ['an unknown kind', { kind: 'webhook' }, 'E0045R'],
    ['no reason', { reason: '' }, 'E0045R'],
    ['no time', { until: undefined }, 'E0045R'],
    ['a time that is over', { until: '2020-01-01' }, 'E0045R'],
    ['no date', { until: 'tomorrow' }, 'E0045R'],
    ['an unknown account', { action: 'assign', assignee: 'nobody' }, 'E0045R'],
    ['an account of another tenant', { action: 'assign', assignee: 'globex-helpdesk' }, 'E0045R'],
    ['an unknown action', { action: 'forget' }, 'E0045R'],
  ])('refuse %s, and change nothing', async (_, wrong, errorCode) => {
    const before = await rowsOf(server, 'SELECT * FROM finding_decisions');
    const right = { ...rule, action: 'accept', reason: 'replaced', until: inDays(1) };
    const { body } = await decide({ ...right, ...wrong });
    expect(body).toMatchObject({ status: 'failed', errorCode });
    expect(await rowsOf(server, 'SELECT * FROM finding_decisions')).toEqual(before);
  });

  it('a finding is assigned only to accounts that see its tenant, with one refusal for all others', async () => {
    const assign = (assignee: string) =>
      decide({ ...rule, action: 'assign', assignee }, 'acme-helpdesk');
    const [foreign, unknown] = [await assign('globex-helpdesk'), await assign('nobody')];
    const parts = ({ status, body }: typeof foreign) => [status, body['reason'], body.errorMessage];
    expect(parts(foreign)).toEqual(parts(unknown));
    expect(foreign.body).toMatchObject({ errorCode: 'E0045R', reason: 'account.unknown' });
    for (const assignee of ['acme-lead', 'admin']) {
      expect((await assign(assignee)).body).toMatchObject({ assignedTo: assignee });
    }
    await decide({ ...rule, action: 'release' });
  });

  it('decisions about findings are not for other tenants and roles', async () => {
    const body = { ...rule, action: 'assign' };
    expect((await decide(body, 'globex-admin')).status).toBeGreaterThanOrEqual(400);
    expect((await decide(body, 'auditor')).status).toBe(403);
    expect((await decide({ ...body, relyingParty: 'globex.example' })).status).toBe(404);
  });

  const sendPage = (name: string, rp: readonly string[], subject = 'algorithms') =>
    sendForm(
      server,
      '/findings/decision',
      { kind: 'rule', subject, rp, action: 'assign', assignee: 'auditor', reason: '', until: '' },
      { name, role: 'helpdesk', headers: HTML },
    );

  it('decisions about findings are made by the form of the page', async () => {
    await rowsOf(server, 'DELETE FROM finding_decisions');
    const { status, headers } = await sendPage('helpdesk', ['acme.example']);
    expect([status, headers.get('location')]).toEqual([303, '/findings']);
    expect(await page()).toContain('Assigned to <strong><bdi>auditor</bdi>');
  });

  it('a decision is stored once at a relying party that the form names several times', async () => {
    await rowsOf(server, 'DELETE FROM finding_decisions');
    const names = ['acme.example', 'acme.example', 'acme.example'];
    const before = await rowsOf(server, "SELECT seq FROM audit WHERE action = 'finding.decide'");
    expect((await sendPage('helpdesk', names)).status).toBe(303);
    const after = await rowsOf(server, "SELECT seq FROM audit WHERE action = 'finding.decide'");
    expect(after).toHaveLength(before.length + 1);
  });

  it.each(['globex.example', 'unknown.example'])(
    'a decision for several relying parties is stored for none of them if it is refused at %s',
    async (other) => {
      await rowsOf(server, 'DELETE FROM finding_decisions');
      const { status } = await sendPage('helpdesk', ['acme.example', other]);
      expect(status).toBe(404);
      expect(await rowsOf(server, 'SELECT * FROM finding_decisions')).toEqual([]);
    },
  );

  it('a refused decision of the page is in the trail of its tenant, with the relying party', async () => {
    expect((await sendPage('helpdesk', ['acme.example'], 'block')).status).toBe(404);
    const { body } = await clientOf(server.url, 'acme-auditor').get('/userapi/audit?limit=1');
    expect(body['entries']).toMatchObject([
      { action: 'finding.decide', result: 'refused', relyingParty: 'acme.example' },
    ]);
  });

  it('are accepted, not assigned, by the Enter key in the field of the reason', async () => {
    const forms =
      (await page()).match(/<form[^>]*action="\/findings\/decision"[^]*?<\/form>/g) ?? [];
    const [accepting = ''] = forms.filter((form) => form.includes('name="reason"'));
    expect(/<button name="action" value="(\w+)"/.exec(accepting)?.[1]).toBe('accept');
  });

  const page = async (path = '/findings') =>
    (await clientOf(server.url, 'helpdesk').get(path, HTML)).text;
  const isListed = async (id: string, path?: string) =>
    (await page(path)).includes(`<section class="card" id="${id}"`);
});
