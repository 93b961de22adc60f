import { phrase } from '../platform/pages/languages/phrase.js';
import { explain } from './refusal-explanation.js';

describe('an explanation of E0031R', () => {
  it('explains a cookie that a proxy lost by the proxy, not by the browser', () => {
    const { reason } = explain('E0024R', 'proxy.protocol');
    expect(reason).toEqual(phrase('refusals:proxyProtocol.reason'));
  });

  it('asks for a PIN, fingerprint or face only if the user was not verified', () => {
    const { reason, tell } = explain('E0031R', 'user-not-verified');
    expect(reason).toEqual(phrase('refusals:notVerified.reason'));
    expect(tell).toEqual(phrase('refusals:E0031R.tell'));
  });

  it.each(['backup-eligibility-changed', 'backup-flags-inconsistent'])(
    'explains %s as a contradiction of the key',
    (failure) => {
      const { reason, tell } = explain('E0031R', failure);
      expect(reason).toEqual(phrase('refusals:contradiction.reason'));
      expect(tell).toEqual(phrase('refusals:tell.again'));
    },
  );

  it('names both reasons of E0031R if the failed check is not known', () => {
    expect(explain('E0031R').reason).toEqual(phrase('refusals:E0031R.reason'));
  });
});
