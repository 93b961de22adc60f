import { foldedName } from '../platform/validation/values/folded-name.js';
import { nextBytes } from '../users/search/pattern.js';
import { cursorOf, positionOf } from './list-cursors.js';

describe('a cursor of a list of users', () => {
  const positionAfter = (name: string) => ({
    domain: 'localhost',
    at: nextBytes(Buffer.from(name, 'utf8')),
  });

  it('a cursor continues after the longest user name', () => {
    const position = positionAfter('a'.repeat(255));
    expect(positionOf(cursorOf(position))).toEqual(position);
  });

  it('a cursor continues after a user name that is longer in its folded form', () => {
    const name = 'ŉ'.repeat(127);
    const position = positionAfter(foldedName(name));
    expect(position.at.length).toBeGreaterThan(Buffer.byteLength(name) + 1);
    expect(positionOf(cursorOf(position))).toEqual(position);
  });

  it('refuses a cursor that is longer than any user name (E0045R)', () => {
    const position = positionAfter('a'.repeat(600));
    expect(() => positionOf(cursorOf(position))).toThrow(
      expect.objectContaining({ code: 'E0045R' }),
    );
  });
});
