import { readPolicy } from '../tenancy/policy.js';
import { warningsOf } from './warnings.js';

const titles = (...args: Parameters<typeof warningsOf>) =>
  warningsOf(...args).map(({ title }) => title);
const BASE = { aaguid: false, mds: [] };
const loose = { policy: readPolicy({}) };
const strict = { policy: readPolicy({ registration: 'ticket' }) };

describe('warningsOf', () => {
  it('names open registration as soon as one relying party has it', () => {
    expect(titles({ ...BASE, auth: true, registration: 'open' }, [strict, loose])).toEqual([
      'Registration is open.',
    ]);
  });

  it('is quiet when every relying party is stricter than the option', () => {
    expect(titles({ ...BASE, auth: true, registration: 'open' }, [strict])).toEqual([]);
  });

  it('is quiet when the option is strict', () => {
    expect(titles({ ...BASE, auth: true, registration: 'first-only' }, [loose])).toEqual([]);
  });

  it('names an administration without password', () => {
    expect(titles({ ...BASE, auth: false, registration: 'ticket' }, [])).toEqual([
      'The administration has no password.',
    ]);
  });

  it('names a whitelist whose models nothing proves', () => {
    const strictly = { auth: true, registration: 'ticket', aaguid: true } as const;
    const title = 'Nothing proves the models on the whitelist.';
    expect(titles({ ...strictly, mds: [] }, [strict])).toEqual([title]);
    expect(titles({ ...strictly, mds: ['upload'] }, [strict])).toEqual([]);
    const anchored = { policy: { ...strict.policy, anchors: [Buffer.of(1)] } };
    expect(titles({ ...strictly, mds: [] }, [anchored])).toEqual([]);
    expect(titles({ ...strictly, mds: [] }, [anchored, strict])).toEqual([title]);
  });
});
