import type { Invoice } from '../../src/billing/invoices/invoice.schema.js';
import { DATABASES } from '../support/databases.js';
import { policyPlace, type PolicyPlace } from '../support/policy-place.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

describe.each(DATABASES)('an invoice of users who move to another domain, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    server.clock.toMiddleOfMonth();
  });
  afterAll(() => server.stop());

  it('counts a key that a clone alarm disables during the move where it was registered', async () => {
    const old = await policyPlace(server, {});
    const next = await policyPlace(server, { counter: 'disable' });
    const { authenticator } = await old.registered('anna', []);
    await next.takeOver(old);
    const anna = next.newUser({}, authenticator);
    expect((await anna.signIn('anna', { signCount: 5 })).status).toBe(200);
    const keysAtBoth = async () => {
      const figures = await figuresOf(old, next);
      return figures.map(({ credentials }) => credentials);
    };
    const none = { enabled: 0, disabled: 0 };
    expectRefusal(await anna.signIn('anna', { signCount: 4 }), 'E0035R');
    expect(await keysAtBoth()).toEqual([{ enabled: 0, disabled: 1 }, none]);
    const enabled = await old.admin.post('/userapi/manageusers', {
      type: 'enableall',
      filter: 'anna',
    });
    expect(enabled.status).toBe(200);
    expect(await keysAtBoth()).toEqual([{ enabled: 1, disabled: 0 }, none]);
  });

  /** The figures of today's invoice for these domains, in this order. */
  async function figuresOf(...places: readonly [PolicyPlace, ...PolicyPlace[]]) {
    const date = server.clock.today();
    const [{ admin, tenant }] = places;
    const { body } = await admin.get(`/userapi/invoice?date=${date}&tenant=${tenant}`);
    const { tenants } = body['invoice'] as Invoice;
    return places.map(({ domain }) => {
      const found = tenants
        .flatMap(({ relyingParties }) => relyingParties)
        .find(({ relyingParty }) => relyingParty === domain);
      if (!found) throw new Error(`${domain} is not in the invoice`);
      return found;
    });
  }
});
