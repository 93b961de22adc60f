import { newRequestId, readRequestId, requestIdIn } from './request-id.js';

describe('request IDs', () => {
  it('a new ID has three groups of four characters without I, L, O, U, 0 and 1', () => {
    const ids = Array.from({ length: 1000 }, newRequestId);
    for (const id of ids) expect(id).toMatch(/^[2-9A-HJKMNP-TV-Z]{4}(-[2-9A-HJKMNP-TV-Z]{4}){2}$/);
    expect(new Set(ids).size).toBe(1000);
    expect(new Set(ids.join('').replaceAll('-', '')).size).toBe(30);
  });

  it.each(['k7qf-2m9x-hd3r', 'K7QF 2M9X HD3R', 'k7QF2m9xHd3R', ' K7QF-2M9X-HD3R '])(
    'reads %j as K7QF-2M9X-HD3R',
    (typed) => {
      expect(readRequestId(typed)).toBe('K7QF-2M9X-HD3R');
    },
  );

  it.each([
    'b3sQ9cWv-1f',
    'abcdefgh-2f3g',
    'ABCD-FGH-23',
    '6f0c1d5e-2b7a-4c3d-9e8f-a1b2c3d4e5f6',
    'K7QF-2M9X HD3R',
    'K7QF-2M9X-HD3',
    'K7QF-2M9X-HD30',
  ])('leaves %j as it is, an ID of version 1.0 or none', (typed) => {
    expect(readRequestId(typed)).toBe(typed);
  });

  it.each([
    ['Request ID: K7QF-2M9X-HD3R.', 'K7QF-2M9X-HD3R'],
    ['the ID is k7qf 2m9x hd3r', 'K7QF-2M9X-HD3R'],
    ['Anfrage k7qf2m9xhd3r', 'K7QF-2M9X-HD3R'],
    ['Request ID: b3sQ9cWv-1f', 'b3sQ9cWv-1f'],
    ['  ', undefined],
  ])('finds the ID in the pasted text %j', (text, id) => {
    expect(requestIdIn(text)).toBe(id);
  });
});
