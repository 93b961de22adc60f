import type { RelyingPartyPolicy } from '../../tenancy/policy.js';
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

describe('a rule whose mode is taken off in the form', () => {
  const MODEL = '01020304-0506-0708-0102-030405060708';
  const stored = { block: [MODEL] };
  const entering = (values: readonly string[]) =>
    new Map([...enteredOf(stored), ['block', { mode: '', values }] as const]);

  it('is set no more, though what it was about stands there still', () => {
    expect(policyOf(entering([MODEL]), stored).policy).toEqual({});
  });

  it('counts where something else was written meanwhile, or there was none before', () => {
    const other = MODEL.replace('01', 'ff');
    expect(policyOf(entering([MODEL, other]), stored).policy).toEqual({ block: [MODEL, other] });
    expect(policyOf(entering([MODEL]), {}).policy).toEqual(stored);
  });
});
