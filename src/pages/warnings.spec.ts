import { readPolicy } from '../tenancy/policy.js';
import { warningsOf } from './warnings.js';

const titles = (...args: Parameters<typeof warningsOf>) =>
  warningsOf(...args).map(({ title }) => title);
const loose = { policy: readPolicy({}) };
const strict = { policy: readPolicy({ registration: 'ticket' }) };

describe('warningsOf', () => {
  it('names open registration as soon as one relying party has it', () => {
    expect(titles({ auth: true, registration: 'open' }, [strict, loose])).toEqual([
      'Registration is open.',
    ]);
  });

  it('is quiet when every relying party is stricter than the option', () => {
    expect(titles({ auth: true, registration: 'open' }, [strict])).toEqual([]);
  });

  it('is quiet when the option is strict', () => {
    expect(titles({ auth: true, registration: 'first-only' }, [loose])).toEqual([]);
  });

  it('names an administration without password', () => {
    expect(titles({ auth: false, registration: 'ticket' }, [])).toEqual([
      'The administration has no password.',
    ]);
  });
});
