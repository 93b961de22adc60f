import { isEnabled, type KeyState } from '../../../users/credentials/key-state.js';
import { nextKeyState, type EvaluatedState, type FindingOnKey } from './next-key-state.js';

const found = (action: FindingOnKey['action'], rule = 'status'): FindingOnKey => ({
  rule,
  code: 'E0038R',
  action,
});
const NOTHING: KeyState = {
  disablingJson: null,
  disabledByRule: null,
  acceptedBy: null,
  refusedWith: null,
};
const BY_A_PERSON = { disablingJson: '{"account":"anna"}' };
const REPORTED = { disablingJson: '{"cause":"reported","reportedAt":1}' };
const BY_ITS_USER = { rule: 'reported', code: 'E0034R', action: 'report' } as const;
const BY_THE_RULE = { disabledByRule: 'status' };
const ACCEPTED = { ...BY_THE_RULE, acceptedBy: 'anna' };
const REFUSED = { refusedWith: 'E0038R' } as const;
const DISABLE = found('disable');
const REFUSE = found('refuse-next-sign-in');

const key = (state: Partial<KeyState> = {}, finding?: FindingOnKey): EvaluatedState => {
  const whole = { ...NOTHING, ...state };
  return { ...whole, enabled: isEnabled(whole), finding };
};
/** A key in the form that versions before these columns wrote. */
const old = (
  enabled: boolean,
  finding: FindingOnKey,
  refusedWith: KeyState['refusedWith'] = null,
) => ({
  ...NOTHING,
  enabled,
  finding,
  refusedWith,
});

describe('a key after its evaluation', () => {
  it.each<[string, EvaluatedState, FindingOnKey | undefined]>([
    ['it passes as before', key(), undefined],
    ['its finding is the same', key({}, found('report')), found('report')],
    ['the same finding disables it', key(BY_THE_RULE, DISABLE), DISABLE],
    ['an account has accepted the same finding', key(ACCEPTED, DISABLE), DISABLE],
    ['the same finding refuses sign-ins', key(REFUSED, REFUSE), REFUSE],
    ['an earlier version enabled it in spite of a refusal', old(true, REFUSE), REFUSE],
  ])('leaves a key unchanged if %s', (_, before, now) => {
    expect(nextKeyState(before, now)).toBeUndefined();
  });

  it.each<[string, EvaluatedState, FindingOnKey | undefined, Partial<KeyState>, readonly string[]]>(
    [
      ['gets a finding where the policy reports', key(), found('report'), {}, ['finding']],
      [
        'is disabled where the policy disables',
        key(),
        DISABLE,
        BY_THE_RULE,
        ['finding', 'disabled'],
      ],
      ['is refused at sign-in where the policy refuses', key(), REFUSE, REFUSED, ['finding']],
      [
        'that an account disabled is disabled by the finding too',
        key(BY_A_PERSON),
        DISABLE,
        { ...BY_A_PERSON, ...BY_THE_RULE },
        ['finding'],
      ],
      [
        'that an account disabled is refused by the finding too',
        key(BY_A_PERSON),
        REFUSE,
        { ...BY_A_PERSON, ...REFUSED },
        ['finding'],
      ],
      [
        'is enabled again where the finding ends',
        key(BY_THE_RULE, DISABLE),
        undefined,
        {},
        ['finding-closed', 'enabled'],
      ],
      [
        'that an account disabled stays disabled where the finding ends',
        key({ ...BY_A_PERSON, ...BY_THE_RULE }, DISABLE),
        undefined,
        BY_A_PERSON,
        ['finding-closed'],
      ],
      [
        'is enabled again where the policy now only reports',
        key(BY_THE_RULE, DISABLE),
        found('report'),
        {},
        ['finding', 'enabled'],
      ],
      [
        'is disabled again where another finding replaces an accepted one',
        key(ACCEPTED, DISABLE),
        found('disable', 'block'),
        { disabledByRule: 'block' },
        ['finding', 'disabled'],
      ],
      [
        'is no longer accepted where the accepted finding ends',
        key(ACCEPTED, DISABLE),
        undefined,
        {},
        ['finding-closed'],
      ],
      [
        'stays accepted where it was restored without its finding',
        key(ACCEPTED),
        DISABLE,
        ACCEPTED,
        ['finding'],
      ],
      [
        'is enabled where it was restored without its finding and passes',
        key(BY_THE_RULE),
        undefined,
        {},
        ['finding-closed', 'enabled'],
      ],
    ],
  )('a key %s', (_, before, now, state, events) => {
    expect(nextKeyState(before, now)).toMatchObject({ state: { ...NOTHING, ...state }, events });
  });

  it.each<[string, EvaluatedState, Partial<KeyState>]>([
    ['a finding disabled', old(false, DISABLE, 'E0038R'), BY_THE_RULE],
    ['an account enabled', old(true, DISABLE), { ...BY_THE_RULE, acceptedBy: '' }],
    ['an account disabled', old(false, DISABLE), { disablingJson: '{}', ...BY_THE_RULE }],
    [
      'an account disabled and a finding refuses',
      old(false, REFUSE),
      { disablingJson: '{}', ...REFUSED },
    ],
  ])('records the reasons of a key that %s under an earlier version', (_, before, state) => {
    const { finding } = before;
    const next = {
      found: finding,
      state: { ...NOTHING, ...state },
      isNewFinding: false,
      events: [],
    };
    expect(nextKeyState(before, finding)).toEqual(next);
  });

  it.each<[string, EvaluatedState, FindingOnKey | undefined, Partial<KeyState>]>([
    ['breaks no rule', key(REPORTED), undefined, {}],
    ['had a finding of the policy', key({ ...REPORTED, ...REFUSED }, REFUSE), REFUSE, REFUSED],
    [
      'is accepted in spite of a rule',
      key({ ...REPORTED, ...ACCEPTED }, DISABLE),
      DISABLE,
      ACCEPTED,
    ],
    ['breaks a rule since', key(REPORTED, BY_ITS_USER), DISABLE, BY_THE_RULE],
    ['was restored without its finding', key({ ...REPORTED, ...ACCEPTED }), DISABLE, ACCEPTED],
  ])('a reported key that %s has the finding of the report', (_, before, ofPolicy, state) => {
    const next = nextKeyState(before, ofPolicy);
    expect(next).toMatchObject({ found: BY_ITS_USER, events: [] });
    expect(next?.state).toEqual({ ...NOTHING, ...REPORTED, ...state });
  });

  it.each<[string, EvaluatedState, FindingOnKey | undefined, Partial<KeyState>, readonly string[]]>(
    [
      ['and breaks no rule has none', key({}, BY_ITS_USER), undefined, {}, ['finding-closed']],
      [
        'and breaks a rule has the finding of the policy',
        key({}, BY_ITS_USER),
        REFUSE,
        REFUSED,
        ['finding-closed', 'finding'],
      ],
      [
        'in spite of a rule is accepted',
        key(ACCEPTED, BY_ITS_USER),
        DISABLE,
        ACCEPTED,
        ['finding-closed', 'finding'],
      ],
    ],
  )('a reported key that an account enabled %s', (_, before, ofPolicy, state, events) => {
    const next = nextKeyState(before, ofPolicy);
    expect(next).toMatchObject({ found: ofPolicy, events });
    expect(next?.state).toEqual({ ...NOTHING, ...state });
  });

  it('a key stays accepted if an account enabled it before reasons were recorded', () => {
    const before = key({ disabledByRule: '', acceptedBy: 'anna' }, DISABLE);
    expect(nextKeyState(before, DISABLE)?.state).toEqual({ ...NOTHING, ...ACCEPTED });
  });
});
