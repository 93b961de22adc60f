import { mergeModelsByName, modelsInUse } from './dashboard-counts.js';

const NAMES: Readonly<Record<string, string>> = { a1: 'YubiKey 5', a2: 'YubiKey 5', b: 'Titan' };
const count = (aaguid: string, n: number) => ({ aaguid, n, relyingParty: '00' });

describe('models in use', () => {
  const rows = modelsInUse(
    [count('b', 3), count('a1', 2), count('a2', 2), count('x', 1), count('y', 1)],
    (aaguid) => NAMES[aaguid] ?? null,
  );

  it('the file has a row for each AAGUID in use', () => {
    expect(rows.map(({ aaguid }) => aaguid)).toEqual(['b', 'a1', 'a2', 'x', 'y']);
  });

  it('the page merges models in use by name, the most frequent first', () => {
    expect(mergeModelsByName(rows)).toEqual([
      { model: 'YubiKey 5', n: 4, aaguid: 'a1, a2' },
      { model: 'Titan', n: 3, aaguid: 'b' },
      { model: 'Unknown model', n: 2, aaguid: 'x, y' },
    ]);
  });
});
