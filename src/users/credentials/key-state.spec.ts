import {
  changedState,
  disablingText,
  isEnabled,
  keyStateOf,
  type KeyState,
  type StoredKeyState,
} from './key-state.js';

const NOTHING: KeyState = {
  disablingJson: null,
  disabledByRule: null,
  acceptedBy: null,
  refusedWith: null,
};
const ANNA = { account: 'anna', reason: 'phone lost' };
const ANNAS_JOB = { ...ANNA, job: 'annas' };
const BY_ANNA = disablingText(ANNA);
const BY_ITS_USER = disablingText({ cause: 'reported', reportedAt: 1 });
const row = (state: Partial<KeyState>): StoredKeyState => {
  const whole = { ...NOTHING, ...state };
  return { ...whole, enabled: isEnabled(whole) };
};

describe('the state of a key', () => {
  it.each<[string, Partial<KeyState>, boolean]>([
    ['is enabled without a reason to disable it', {}, true],
    ['is disabled if an account disabled it', { disablingJson: BY_ANNA }, false],
    ['is disabled if a finding disabled it', { disabledByRule: 'status' }, false],
    [
      'is enabled if an account accepted the finding that disabled it',
      { disabledByRule: 'status', acceptedBy: '' },
      true,
    ],
    [
      'is disabled by an account even if its finding is accepted',
      { disablingJson: BY_ANNA, disabledByRule: 'status', acceptedBy: 'ben' },
      false,
    ],
    ['is enabled if a finding only refuses sign-ins', { refusedWith: 'E0038R' }, true],
  ])('a key %s', (_, state, enabled) => {
    expect(isEnabled({ ...NOTHING, ...state })).toBe(enabled);
    expect(keyStateOf(row(state))).toEqual({ ...NOTHING, ...state });
  });

  it.each<[string, Partial<StoredKeyState>, Partial<KeyState>]>([
    ['an account disabled', { enabled: false }, { disablingJson: '{}' }],
    [
      'a finding disabled',
      { enabled: false, refusedWith: 'E0038R' },
      { disabledByRule: '', refusedWith: null },
    ],
    ['an account enabled', { enabled: true, disablingJson: BY_ANNA }, { disablingJson: null }],
    [
      'an account enabled in spite of a finding',
      { enabled: true, disabledByRule: 'status' },
      { acceptedBy: '' },
    ],
  ])('derives the state of a key that %s under an earlier version', (_, stored, expected) => {
    const written = { ...NOTHING, enabled: true, ...stored };
    const { enabled, ...state } = written;
    expect(keyStateOf(written)).toEqual({ ...state, ...expected });
    expect(isEnabled(keyStateOf(written))).toBe(enabled);
  });
});

describe('a change of the state of a key', () => {
  it.each<[string, Parameters<typeof changedState>[0], Partial<KeyState>, Partial<KeyState>]>([
    ['disables an enabled key', 'disable', {}, { disablingJson: BY_ANNA }],
    [
      'disables a key that a finding disabled',
      'disable',
      { disabledByRule: 'status' },
      { disabledByRule: 'status', disablingJson: BY_ANNA },
    ],
    [
      'disables a key permanently that a job disabled',
      'disable',
      { disablingJson: disablingText({ account: 'ben', job: 'recall' }) },
      { disablingJson: BY_ANNA },
    ],
    ['enables a key that an account disabled', 'enable', { disablingJson: '{}' }, {}],
    [
      'enables a key and accepts its finding',
      'enable',
      { disablingJson: '{}', disabledByRule: 'status' },
      { disabledByRule: 'status', acceptedBy: 'anna' },
    ],
    [
      'enables a key whose sign-ins a finding still refuses',
      'enable',
      { disablingJson: '{}', refusedWith: 'E0038R' },
      { refusedWith: 'E0038R' },
    ],
    [
      'keeps the finding when a job’s disabling is undone',
      'lift',
      { disablingJson: disablingText(ANNAS_JOB), disabledByRule: 'status' },
      { disabledByRule: 'status' },
    ],
  ])('%s', (_, change, before, after) => {
    const by = change === 'lift' ? ANNAS_JOB : ANNA;
    expect(changedState(change, row(before), by)).toEqual({ ...NOTHING, ...after });
  });

  it.each([
    ['in the order of the jobs', ['recall', 'annas']],
    ['in another order', ['annas', 'recall']],
  ])('enables a key that two jobs disabled only after both are undone, %s', (_, order) => {
    const change = (before: Partial<KeyState>, kind: 'disable' | 'lift', job: string) =>
      changedState(kind, row(before), { ...ANNA, job }) ?? {};
    const both = change(change({}, 'disable', 'recall'), 'disable', 'annas');
    const [first = '', second = ''] = order;
    const one = change(both, 'lift', first);
    expect(one).toEqual({ ...NOTHING, disablingJson: disablingText({ ...ANNA, job: second }) });
    expect(change(one, 'lift', second)).toEqual(NOTHING);
  });

  it('disables a key permanently if more than ten jobs have disabled it', () => {
    const jobs = Array.from({ length: 11 }, (_, n) => ({ ...ANNA, job: `job-${n}` }));
    const after = jobs.reduce<Partial<KeyState>>(
      (state, job) => changedState('disable', row(state), job) ?? {},
      {},
    );
    expect(after).toEqual({ ...NOTHING, disablingJson: BY_ANNA });
  });

  it.each<[Parameters<typeof changedState>[0], Partial<KeyState>]>([
    ['disable', { disablingJson: '{}' }],
    ['enable', {}],
    ['enable', { disabledByRule: 'status', acceptedBy: 'ben' }],
    ['enable', { refusedWith: 'E0038R' }],
    ['lift', { disabledByRule: 'status' }],
    ['lift', { disablingJson: BY_ITS_USER }],
    ['disable', { disablingJson: BY_ITS_USER }],
  ])('the change %s leaves a key with the state %j unchanged', (change, state) => {
    expect(changedState(change, row(state), ANNA)).toBeUndefined();
  });
});
