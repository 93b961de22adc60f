import type { RelyingPartyPolicy } from '../policy/policy.js';
import { enteredOf, policyOf } from './policy-form.js';

describe('the rule of trust in the form of a policy', () => {
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
    'stored as %j it is saved as %j',
    (trust, saved) => {
      const stored = trust === undefined ? {} : { trust };
      const { policy, faults } = policyOf(enteredOf(stored));
      expect([policy.trust, faults]).toEqual([saved, {}]);
    },
  );
});
