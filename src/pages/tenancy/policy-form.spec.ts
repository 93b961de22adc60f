import type { RelyingPartyPolicy } from '../../tenancy/policy/policy.js';
import { enteredOf, policyOf } from './policy-form.js';

describe('the trust rule in the policy form', () => {
  it.each([
    [undefined, undefined],
    ['known', 'known'],
    ['all', 'all'],
    ['enforce', 'all'],
    ['report', { mode: 'report', value: 'all' }],
    [{ mode: 'enforce' }, 'all'],
    [
      { mode: 'report', value: 'known' },
      { mode: 'report', value: 'known' },
    ],
    ['off', { mode: 'off', value: 'all' }],
  ] as [RelyingPartyPolicy['trust'], RelyingPartyPolicy['trust']][])(
    'saves the stored trust rule %j as %j',
    (trust, saved) => {
      const stored = trust === undefined ? {} : { trust };
      const { policy, faults } = policyOf(enteredOf(stored));
      expect([policy.trust, faults]).toEqual([saved, {}]);
    },
  );
});
