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
const row = (state: Partial<KeyState>): StoredKeyState => {
  const whole = { ...NOTHING, ...state };
  return { ...whole, enabled: isEnabled(whole) };
};

describe('the state of a key', () => {
  it.each<[string, Partial<KeyState>, boolean]>([
    ['is enabled without a reason', {}, true],
    ['is disabled by a person', { disablingJson: BY_ANNA }, false],
    ['is disabled by a finding', { disabledByRule: 'status' }, false],
    [
      'is enabled where the finding is accepted',
      { disabledByRule: 'status', acceptedBy: '' },
      true,
    ],
    [
      'is disabled by a person where the finding is accepted',
      { disablingJson: BY_ANNA, disabledByRule: 'status', acceptedBy: 'ben' },
      false,
    ],
    ['is enabled where a finding refuses sign-ins', { refusedWith: 'E0038R' }, true],
  ])('%s', (_, state, enabled) => {
    expect(isEnabled({ ...NOTHING, ...state })).toBe(enabled);
    expect(keyStateOf(row(state))).toEqual({ ...NOTHING, ...state });
  });

  it.each<[string, Partial<StoredKeyState>, Partial<KeyState>]>([
    ['a person disabled', { enabled: false }, { disablingJson: '{}' }],
    [
      'a finding disabled',
      { enabled: false, refusedWith: 'E0038R' },
      { disabledByRule: '', refusedWith: null },
    ],
    ['somebody enabled', { enabled: true, disablingJson: BY_ANNA }, { disablingJson: null }],
    [
      'somebody enabled in spite of a finding',
      { enabled: true, disabledByRule: 'status' },
      { acceptedBy: '' },
    ],
  ])('is derived where an earlier version stored a key that %s', (_, stored, expected) => {
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
      'disables a key for good that a job disabled',
      'disable',
      { disablingJson: disablingText({ account: 'ben', job: 'recall' }) },
      { disablingJson: BY_ANNA },
    ],
    ['enables a key that a person disabled', 'enable', { disablingJson: '{}' }, {}],
    [
      'enables a key and accepts its finding',
      'enable',
      { disablingJson: '{}', disabledByRule: 'status' },
      { disabledByRule: 'status', acceptedBy: 'anna' },
    ],
    [
      'enables a key whose sign-ins a finding goes on refusing',
      'enable',
      { disablingJson: '{}', refusedWith: 'E0038R' },
      { refusedWith: 'E0038R' },
    ],
    [
      'keeps the finding where a disabling is taken back',
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

  it('disables a key for good that too many jobs have disabled', () => {
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
  ])('by %s leaves %j as it is', (change, state) => {
    expect(changedState(change, row(state), ANNA)).toBeUndefined();
  });
});
