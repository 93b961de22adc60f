import { visible, visibleJson } from './visible-characters.js';

describe('visible', () => {
  it('writes direction and zero-width characters as their code points (XS05)', () => {
    expect(visible('ada\u202Egnp.exe')).toBe('ada‹U+202E›gnp.exe');
    expect(visible('a\u200Bb\u0000c\u{E0041}')).toBe('a‹U+200B›b‹U+0000›c‹U+E0041›');
  });

  it('leaves what can be seen as it is', () => {
    expect(visible('Ada Ω 山田 é 🔑 <b>{{x}}</b>')).toBe('Ada Ω 山田 é 🔑 <b>{{x}}</b>');
  });

  it('has nothing to say of what is not there', () => expect(visible(undefined)).toBe(''));
});

describe('visibleJson', () => {
  it('keeps its lines, and hides nothing of what its strings hold', () =>
    expect(visibleJson({ name: 'a\u202E\nb', os: ['x'] })).toBe(
      ['{', '  "name": "a‹U+202E›\\nb",', '  "os": [', '    "x"', '  ]', '}'].join('\n'),
    ));
});
