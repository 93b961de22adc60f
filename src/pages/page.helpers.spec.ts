import { plainText } from '../platform/pages/languages/languages.js';
import { advice as adviceOf, breakable } from './page.helpers.js';

const advice = (status: number, code?: string) => plainText('en', adviceOf(status, code));

describe('advice', () => {
  it('advises to check the address of a missing page', () =>
    expect(advice(404)).toBe('Check the address, or start from one of these pages:'));

  it('advises to switch on a feature that is off (E0046R)', () =>
    expect(advice(404, 'E0046R')).toMatch(/can switch it on/));

  it('advises to check the request after other refusals', () =>
    expect(advice(415)).toMatch(/what was sent/));

  it('advises against loading the page of a sign-in that has ended (E0024R)', () =>
    expect(advice(408, 'E0024R')).toBe('Loading this page again does not help.'));

  it('advises no repetition where the sentence already says it (E0052R)', () =>
    expect(advice(503, 'E0052R')).not.toMatch(/Try again/));

  it('advises to ask the administrator after a failure of the server', () =>
    expect(advice(507)).toMatch(/administrator/));
});

describe('breakable', () => {
  it('allows a line break after each sign of an e-mail address, and shows markup as text', () => {
    expect(String(breakable('anna.berg@shop.example'))).toBe(
      'anna.<wbr>berg@<wbr>shop.<wbr>example',
    );
    expect(String(breakable('<b>.'))).toBe('&lt;b&gt;.');
  });
});
