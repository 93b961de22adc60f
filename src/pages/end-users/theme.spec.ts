import fc from 'fast-check';
import { themeStyles } from './theme.js';

const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (one: string, other: string): number => {
  const a = luminance(one) + 0.05;
  const b = luminance(other) + 0.05;
  return Math.max(a, b) / Math.min(a, b);
};

const pairOf = (css: string, name: string): [string, string] => {
  const [, light = '', dark = ''] =
    new RegExp(`${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(css) ?? [];
  return [light, dark];
};

describe('the colour of a relying party', () => {
  it('changes a brand colour until it is readable on cards and under text (WCAG 2 §1.4.3)', () => {
    const hex = fc
      .integer({ min: 0, max: 0xffffff })
      .map((n) => `#${n.toString(16).padStart(6, '0')}`);
    fc.assert(
      fc.property(hex, (colour) => {
        const css = themeStyles(colour);
        const [light, dark] = pairOf(css, '--sf-brand');
        const [onLight, onDark] = pairOf(css, '--sf-on-brand');
        expect(contrast(light, '#f5f7f8')).toBeGreaterThanOrEqual(4.5);
        expect(contrast(dark, '#171d24')).toBeGreaterThanOrEqual(4.5);
        expect(contrast(light, onLight)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(dark, onDark)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  it('leaves a readable brand colour unchanged', () => {
    expect(pairOf(themeStyles('#1D4ED8'), '--sf-brand')[0]).toBe('#1d4ed8');
    expect(themeStyles(undefined)).toBe('');
  });
});
