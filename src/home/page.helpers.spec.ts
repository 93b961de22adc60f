import { plainText } from '../platform/pages/languages/languages.js';
import { advice as adviceOf, breakable } from './page.helpers.js';

const advice = (status: number, code?: string) => plainText('en', adviceOf(status, code));

describe('advice', () => {
  it('explains the usual refusals', () =>
    expect(advice(404)).toBe('Check the address, or start from the dashboard.'));

  it('distinguishes a feature that is off from a wrong address', () =>
    expect(advice(404, 'E0046R')).toMatch(/can switch it on/));

  it('suggests checking the request for other refusals', () =>
    expect(advice(415)).toMatch(/what was sent/));

  it('does not repeat the advice of an unavailable service', () =>
    expect(advice(503, 'E0052R')).not.toMatch(/Try again/));

  it('suggests checking the server for failures', () =>
    expect(advice(507)).toMatch(/administrator/));
});

describe('breakable', () => {
  it('breaks an e-mail address after its signs, and shows markup as text', () => {
    expect(String(breakable('anna.berg@shop.example'))).toBe(
      'anna.<wbr>berg@<wbr>shop.<wbr>example',
    );
    expect(String(breakable('<b>.'))).toBe('&lt;b&gt;.');
  });
});
