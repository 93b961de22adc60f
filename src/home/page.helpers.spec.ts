import { plainText } from '../platform/pages/languages/languages.js';
import { advice as adviceOf } from './page.helpers.js';

const advice = (status: number, code?: string) => plainText('en', adviceOf(status, code));

describe('advice', () => {
  it('knows what to do about the usual refusals', () =>
    expect(advice(404)).toBe('Check the address, or start from the dashboard.'));

  it('knows that what is switched off is not a wrong address', () =>
    expect(advice(404, 'E0046R')).toMatch(/can switch it on/));

  it('looks to the request for other refusals', () => expect(advice(415)).toMatch(/what was sent/));

  it('says nothing twice of a service that is away, whose sentence says to try again', () =>
    expect(advice(503, 'E0052R')).not.toMatch(/Try again/));

  it('looks to the server for failures', () => expect(advice(507)).toMatch(/administrator/));
});
