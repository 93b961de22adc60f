import { visible, visibleJson } from './visible-characters.js';

describe('visible', () => {
  it('writes direction and zero-width characters as their code points', () => {
    expect(visible('ada\u202Egnp.exe')).toBe('ada‹U+202E›gnp.exe');
    expect(visible('a\u200Bb\u0000c\u{E0041}')).toBe('a‹U+200B›b‹U+0000›c‹U+E0041›');
  });

  it('leaves visible characters unchanged', () => {
    expect(visible('Ada Ω 山田 é 🔑 <b>{{x}}</b>')).toBe('Ada Ω 山田 é 🔑 <b>{{x}}</b>');
  });

  it('returns an empty text for undefined', () => expect(visible(undefined)).toBe(''));
});

describe('visibleJson', () => {
  it('keeps line breaks of JSON and shows every character of its strings', () =>
    expect(visibleJson({ name: 'a\u202E\nb', os: ['x'] })).toBe(
      ['{', '  "name": "a‹U+202E›\\nb",', '  "os": [', '    "x"', '  ]', '}'].join('\n'),
    ));
});
