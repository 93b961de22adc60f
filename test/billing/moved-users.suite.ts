import type { Invoice } from '../../src/billing/invoices/invoice.answer.js';
import { RollUp } from '../../src/billing/usage/roll-up.js';
import { HOUR_MS } from '../../src/platform/common/durations.js';
import type { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
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

  describe.each([
    ['as events come', true],
    ['all at once', false],
  ])('if events are counted %s', (_, inOrder) => {
    const countedNow = () => (inOrder ? count() : undefined);
    it('counts a user at the old domain again after the new one was given up', async () => {
      const [old, first, second] = await threePlaces();
      const { authenticator } = await old.registered('anna', []);
      await first.takeOver(old);
      await signIn(first, authenticator);
      await first.change({ predecessor: null });
      await second.takeOver(old);
      await second.change({ predecessor: null });
      for (const { admin, tenant, domain } of [first, second]) {
        const path = `/tenantapi/tenants/${tenant}/relying-parties/${domain}`;
        expect((await admin.send(path, { method: 'DELETE' })).status).toBe(200);
      }
      await nextMonth();
      await signIn(old, authenticator);
      await countedNow();
      expect(await figuresOf(old)).toMatchObject([{ authentications: 1, activeUsers: 1 }]);
    });

    it('counts a user of two moves from a domain once, where the user signs in', async () => {
      const [old, first, second] = await threePlaces();
      const { authenticator } = await old.registered('anna', []);
      await nextMonth();
      await first.takeOver(old);
      await signIn(first, authenticator);
      await countedNow();
      await first.change({ predecessor: null });
      await signIn(old, authenticator);
      await countedNow();
      await second.takeOver(old);
      await signIn(second, authenticator);
      await countedNow();
      await signIn(old, authenticator);
      await countedNow();
      expect(await activeUsersAt(old, first, second)).toEqual([0, 1, 0]);
      await nextMonth();
      await signIn(second, authenticator);
      await countedNow();
      await signIn(old, authenticator);
      await countedNow();
      expect(await activeUsersAt(old, first, second)).toEqual([0, 0, 1]);
    });

    it('counts a user of a domain that took users over and is left now once', async () => {
      const [first, second, third] = await threePlaces();
      const { authenticator } = await first.registered('anna', []);
      await second.takeOver(first);
      const moved = second.newUser({}, authenticator);
      expect((await moved.upgrade(await moved.signIn('anna'))).status).toBe(200);
      await second.change({ predecessor: null });
      await nextMonth();
      await signIn(second, authenticator);
      await countedNow();
      await third.takeOver(second);
      await signIn(third, authenticator);
      await countedNow();
      const again = third.newUser({}, authenticator);
      expect((await again.upgrade(await again.signIn('anna'))).status).toBe(200);
      await signIn(third, authenticator);
      await countedNow();
      // The event at the second domain is one of the move if it is counted after the move has begun.
      expect(await activeUsersAt(first, second, third)).toEqual(inOrder ? [0, 1, 0] : [0, 0, 1]);
    });
  });

  async function threePlaces() {
    return [
      await policyPlace(server, {}),
      await policyPlace(server, {}),
      await policyPlace(server, {}),
    ] as const;
  }

  async function signIn(at: PolicyPlace, authenticator: SoftAuthenticator) {
    expect((await at.newUser({}, authenticator).signIn('anna')).status).toBe(200);
  }

  async function count() {
    server.clock.advance(HOUR_MS);
    await server.get(RollUp).catchUp();
  }

  /** Counts the events of this month, and moves to the middle of the next one. */
  async function nextMonth() {
    await count();
    server.clock.toMiddleOfMonth();
  }

  async function activeUsersAt(...at: readonly [PolicyPlace, ...PolicyPlace[]]) {
    return (await figuresOf(...at)).map(({ activeUsers }) => activeUsers);
  }

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
