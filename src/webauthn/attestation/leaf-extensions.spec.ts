import { aaguidExtension } from '../../../packages/testing/src/certificate-writer.js';
import * as der from '../../../packages/testing/src/der-writer.js';
import { createAttester } from '../../../packages/testing/src/attester.js';
import type { AttestationStatement } from './format.js';
import { firmwareVersionOf, serialNumberOf } from './leaf-extensions.js';

const AAGUID = Buffer.alloc(16, 1);

/** Makes statements with a certificate whose extension has a value; without a value it has no such extension. */
const attester =
  (id: string) =>
  (value?: Buffer): AttestationStatement => {
    const extension = value ? [{ id, value }] : [];
    const { x5c } = createAttester(AAGUID, { extensions: [aaguidExtension(AAGUID), ...extension] });
    return { format: 'packed', type: 'basic', trustPath: x5c };
  };

describe('the firmware version of an authenticator (WebAuthn L3 §8.2.1)', () => {
  const attestedBy = attester('1.3.6.1.4.1.45724.1.1.5');

  it('reads the firmware version from its certificate extension', () => {
    expect(firmwareVersionOf(attestedBy(der.integer(7)))).toBe(7);
    expect(firmwareVersionOf(attestedBy(Buffer.from('0203050704', 'hex')))).toBe(0x05_07_04);
  });

  it('the firmware version of a compound attestation is the lowest of its statements', () => {
    const statements = [attestedBy(der.integer(8)), attestedBy(), attestedBy(der.integer(6))];
    expect(firmwareVersionOf({ ...attestedBy(), format: 'compound', statements })).toBe(6);
  });

  it.each<[string, AttestationStatement]>([
    ['no certificate', { format: 'none', type: 'none', trustPath: [] }],
    ['no such extension', attestedBy()],
    ['octets in place of a number', attestedBy(der.octetString(Buffer.from('07', 'hex')))],
    ['a negative number', attestedBy(Buffer.from('0201ff', 'hex'))],
    ['more than 48 bits', attestedBy(Buffer.from('020701020304050607', 'hex'))],
    ['an extension that is not DER', attestedBy(Buffer.from('0280', 'hex'))],
  ])('the firmware version is unknown with %s', (_, statement) => {
    expect(firmwareVersionOf(statement)).toBeUndefined();
  });
});

describe('the serial number of an enterprise attestation (WebAuthn L3 §8.2.2)', () => {
  const attestedBy = attester('1.3.6.1.4.1.45724.1.1.2');
  const named = attestedBy(der.octetString(Buffer.from('00c0ffee', 'hex')));

  it('reads the serial number from the octets of its certificate extension', () => {
    expect(serialNumberOf(named)).toBe('00c0ffee');
  });

  it('reads the serial number from any statement of a compound attestation', () => {
    const compound = { ...attestedBy(), format: 'compound', statements: [attestedBy(), named] };
    expect(serialNumberOf(compound)).toBe('00c0ffee');
  });

  it.each<[string, AttestationStatement]>([
    ['no certificate', { format: 'none', type: 'none', trustPath: [] }],
    ['no such extension', attestedBy()],
    ['a number in place of octets', attestedBy(der.integer(7))],
    ['an empty extension', attestedBy(der.octetString(Buffer.alloc(0)))],
    ['more than 64 bytes', attestedBy(der.octetString(Buffer.alloc(65, 1)))],
    ['an extension that is not DER', attestedBy(Buffer.from('0480', 'hex'))],
  ])('the serial number is undefined with %s', (_, statement) => {
    expect(serialNumberOf(statement)).toBeUndefined();
  });
});
