import { shapesAt, shapesOf, type KeyShape } from './key-shapes.js';

const PHONE: KeyShape = { idBytes: 20, transports: 'hybrid,internal' };
const STICK: KeyShape = { idBytes: 64, transports: 'nfc,usb' };
const times = (n: number, ...keys: KeyShape[]) => Array.from({ length: n }, () => keys);

/** The share of users whose keys have these shapes. */
function shareOf(shapes: ReturnType<typeof shapesOf>, keys: readonly KeyShape[]): number {
  const all = shapes.reduce((sum, { users }) => sum + users, 0);
  const alike = shapes.filter((shape) => JSON.stringify(shape.keys) === JSON.stringify(keys));
  return alike.reduce((sum, { users }) => sum + users, 0) / all;
}

describe('the shapes of invented keys', () => {
  it('invented keys follow the shapes of existing keys if there are at least a hundred users', () => {
    const shapes = shapesOf([...times(75, PHONE), ...times(25, STICK, PHONE)]);
    expect(shapes.map(({ keys }) => keys)).toEqual([[PHONE], [STICK, PHONE]]);
    expect(shareOf(shapes, [PHONE])).toBe(0.75);
  });

  it('invented keys have the usual shapes without users, and a mixture with few users', () => {
    expect(shareOf(shapesOf([]), [PHONE])).toBe(0.34);
    const few = shapesOf(times(50, STICK));
    expect(shareOf(few, [STICK])).toBe(0.5);
    expect(shareOf(few, [PHONE])).toBe(0.17);
  });

  it('invented keys never have the rarest shapes', () => {
    const rare = Array.from({ length: 2000 }, (_, n) => [{ idBytes: 16 + n, transports: '' }]);
    const shapes = shapesOf([...rare, ...times(10, STICK)]);
    expect(shapes[0]?.keys).toEqual([STICK]);
    expect(shapes).toHaveLength(500);
  });

  it('a number from 0 to 1 assigns a shape of invented keys to a user', () => {
    const shapes = shapesOf([...times(75, PHONE), ...times(25, STICK, PHONE)]);
    const numbers = [0, 0.5, 0.7499, 0.75, 0.9999].map((at) => shapesAt(shapes, at).length);
    expect(numbers).toEqual([1, 1, 1, 2, 2]);
  });
});
