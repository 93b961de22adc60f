import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import type { RelyingPartyPolicy } from '../../src/tenancy/policy/policy.js';
import type { ChangeRelyingPartyDto } from '../../src/tenancy/tenancy.dto.js';
import { DATABASES } from '../support/databases.js';
import { TestServer } from '../support/test-server.js';
import { expectOneRefused } from '../support/refusals/refusal.js';

const ROUNDS = 5;
const GUARDED = { registration: 'ticket' } as const;

describe.each(DATABASES)('two administrators who change one move at once, on %s', (on) => {
  let server: TestServer;
  let tenancy: TenancyService;
  let pairs = 0;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    tenancy = server.get(TenancyService);
  });
  afterAll(() => server.stop());

  /** Two new relying parties of tenant `acme`: one that demands tickets, and one that can succeed it. */
  async function pair(policy: RelyingPartyPolicy = GUARDED) {
    pairs += 1;
    const old = `old-${pairs}.example`;
    const next = `new-${pairs}.example`;
    await server.addRelyingParty('acme', { domain: old, policy });
    await server.addRelyingParty('acme', { domain: next, policy: GUARDED });
    return { old, next };
  }

  const change = (domain: string, dto: ChangeRelyingPartyDto) =>
    tenancy.changeRelyingParty(server.call, 'acme', domain, dto);

  const succeed = (predecessor: string) =>
    tenancy.addRelyingParty(server.call, 'acme', { domain: `heir-of-${predecessor}`, predecessor });

  /** Of two simultaneous changes one is executed, and the other is refused with the reason. */
  it.each<[string, (old: string, next: string) => Promise<unknown>]>([
    ['opens the predecessor', (old) => change(old, { policy: {} })],
    [
      'lets the predecessor pretend',
      (old) => change(old, { policy: { ...GUARDED, unknownUsers: 'pretend' } }),
    ],
    ['removes the predecessor', (old) => tenancy.removeRelyingParty(server.call, 'acme', old)],
    ['names it for another domain', succeed],
    ['moves on from the successor', (_, next) => succeed(next)],
  ])('cannot both succeed if one names a predecessor and the other %s', async (_, other) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { old, next } = await pair();
      await expectOneRefused([change(next, { predecessor: old }), other(old, next)]);
    }
  });

  it('cannot end case-insensitive names at the predecessor while they begin at the successor', async () => {
    const folded = { ...GUARDED, usernames: 'case-insensitive' } as const;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { old, next } = await pair(folded);
      await change(next, { predecessor: old });
      await expectOneRefused([change(next, { policy: folded }), change(old, { policy: GUARDED })]);
    }
  });
});
