import hbs from 'hbs';
import { problem } from '../../errors/reasons.js';
import type { Language } from './languages.js';
import { languageHelpers } from './language.helpers.js';
import { momentValue, phrase } from './phrase.js';

const { handlebars } = hbs;
for (const [name, helper] of Object.entries(languageHelpers)) {
  handlebars.registerHelper(name, helper);
}
const rendered = (template: string, view: object, language?: Language): string =>
  handlebars.compile(template)({ ...view, language });

describe('texts in templates', () => {
  it('isolates user-supplied text and escapes its markup', () => {
    const view = { name: '<b>**x** [y](name)\u202E' };
    const html = rendered('{{t "userFacing:enrol.headingFor" name=name}}', view);
    expect(html).toContain(
      '<bdi>&lt;b&gt;&#42;&#42;x&#42;&#42; &#91;y&#93;&#40;name&#41;‹U+202E›</bdi>',
    );
    expect(html).not.toMatch(/<strong>|<a /);
  });

  it('writes plain text in attributes', () => {
    const html = rendered('<p title="{{plain "userFacing:enrol.headingFor" name=name}}">', {
      name: '"x"',
    });
    expect(html).toBe('<p title="Set up your key for &quot;x&quot;">');
  });

  it.each([
    [
      'en',
      'The audit trail shows 1 more change.|The audit trail shows 4,321 more changes.|1,234.5',
    ],
    [
      'de',
      'Das Protokoll enthält noch 1 weitere Änderung.|Das Protokoll enthält noch 4.321 weitere Änderungen.|1.234,5',
    ],
  ])('formats numbers in the language %s', (language, written) => {
    const said = [1, 4321].map((count) => phrase('layout:banner.more', { count }));
    const template = '{{#each said}}{{say this}}|{{/each}}{{number 1234.5}}';
    expect(rendered(template, { said }, language)).toBe(written);
  });

  it('states an error beside a field without the field name of the API', () => {
    const error = problem('field.tenantName', { field: 'tenant' });
    expect(rendered('{{fault error}}', { error }, 'en')).toMatch(/^Enter 1 to 64 characters: a–z/);
    expect(rendered('{{fault error}}', { error }, 'de')).toMatch(/^Geben Sie 1 bis 64 Zeichen ein/);
    const other = problem('form.tick');
    expect(rendered('{{fault error}}', { error: other }, 'en')).toBe('Tick at least one.');
  });

  it('writes options as code, but not in a user-supplied value', () => {
    const option = '<code class="option">--issuer</code>';
    expect(rendered('{{t "findings:no-issuer.text" issuer="--x"}}', {})).toContain(
      `${option} they name <bdi>&#45;-x</bdi>`,
    );
  });

  it('accepts phrases as values of a text', () => {
    const name = phrase('layout:skip');
    const view = { said: phrase('userFacing:enrol.headingFor', { name }) };
    expect(rendered('{{say said}}/{{plain said}}', view)).toBe(
      'Set up your key for Skip to content/Set up your key for Skip to content',
    );
  });

  it('writes a time of a text for the script that shows it in the zone of the reader, and in UTC elsewhere', () => {
    const name = momentValue(Date.UTC(2026, 10, 29, 6, 14, 5));
    const view = { said: phrase('userFacing:enrol.headingFor', { name }) };
    const time = '<time datetime="2026-11-29T06:14:05.000Z">2026-11-29 06:14 UTC</time>';
    expect(rendered('{{say said}}/{{plain said}}', view)).toBe(
      `Set up your key for ${time}/Set up your key for 2026-11-29 06:14 UTC`,
    );
  });

  it('keeps a finished text unchanged', () => {
    expect(rendered('{{say "a **b** <c>"}}{{say nothing}}', {})).toBe('a **b** &lt;c&gt;');
  });
});
