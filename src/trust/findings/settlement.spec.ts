import { settled } from './settlement.js';
import type { Found, Standing } from './settlement.js';

const found = (action: Found['action'], rule = 'status'): Found => ({
  rule,
  code: 'E0038R',
  action,
});
const key = (more: Partial<Standing> = {}): Standing => ({
  enabled: true,
  refusedWith: null,
  finding: undefined,
  ...more,
});

describe('what becomes of a key', () => {
  it.each([
    ['that passes as before', key(), undefined],
    ['whose finding is the same', key({ finding: found('report') }), found('report')],
    [
      'that a person has enabled in spite of its finding',
      key({ finding: found('disable') }),
      found('disable'),
    ],
  ])('nothing: %s', (_, before, now) => {
    expect(settled(before, now)).toBeUndefined();
  });

  it.each([
    ['reported', key(), found('report'), { enabled: true, refusedWith: null, events: ['finding'] }],
    [
      'disabled',
      key(),
      found('disable'),
      { enabled: false, refusedWith: 'E0038R', events: ['finding', 'disabled'] },
    ],
    [
      'refused',
      key(),
      found('refuse-next-sign-in'),
      { enabled: true, refusedWith: 'E0038R', events: ['finding'] },
    ],
    [
      'left as a person disabled it',
      key({ enabled: false }),
      found('disable'),
      { enabled: false, refusedWith: null, events: ['finding'] },
    ],
    [
      'enabled again where the finding had disabled it',
      key({ enabled: false, refusedWith: 'E0038R', finding: found('disable') }),
      undefined,
      { enabled: true, refusedWith: null, events: ['finding-closed', 'enabled'] },
    ],
    [
      'not enabled where a person had disabled it',
      key({ enabled: false, finding: found('report') }),
      undefined,
      { enabled: false, refusedWith: null, events: ['finding-closed'] },
    ],
    [
      'enabled again where the policy only reports now',
      key({ enabled: false, refusedWith: 'E0038R', finding: found('disable') }),
      found('report'),
      { enabled: true, refusedWith: null, events: ['finding', 'enabled'] },
    ],
  ] as const)('%s', (_, before, now, after) => {
    expect(settled(before, now)).toEqual(after);
  });
});
