import { aaguidExtension } from '../../../test/support/authenticator/certificate-writer.js';
import * as der from '../../../test/support/authenticator/der-writer.js';
import { createAttester } from '../../../test/support/authenticator/statements.js';
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

describe('§8.2.1: the firmware version in an attestation certificate', () => {
  const attestedBy = attester('1.3.6.1.4.1.45724.1.1.5');

  it('is the value of the firmware extension', () => {
    expect(firmwareVersionOf(attestedBy(der.integer(7)))).toBe(7);
    expect(firmwareVersionOf(attestedBy(Buffer.from('0203050704', 'hex')))).toBe(0x05_07_04);
  });

  it('is the lowest version of a compound attestation', () => {
    const statements = [attestedBy(der.integer(8)), attestedBy(), attestedBy(der.integer(6))];
    expect(firmwareVersionOf({ ...attestedBy(), format: 'compound', statements })).toBe(6);
  });

  it.each<[string, AttestationStatement]>([
    ['no certificate', { format: 'none', type: 'none', trustPath: [] }],
    ['no such extension', attestedBy()],
    ['octets in place of a number', attestedBy(der.octetString(Buffer.from('07', 'hex')))],
    ['a negative number', attestedBy(Buffer.from('0201ff', 'hex'))],
    ['more than 48 bits', attestedBy(Buffer.from('020701020304050607', 'hex'))],
    ['no DER', attestedBy(Buffer.from('0280', 'hex'))],
  ])('is unknown where there is %s', (_, statement) => {
    expect(firmwareVersionOf(statement)).toBeUndefined();
  });
});

describe('§8.2.2: the serial number of an enterprise attestation', () => {
  const attestedBy = attester('1.3.6.1.4.1.45724.1.1.2');
  const named = attestedBy(der.octetString(Buffer.from('00c0ffee', 'hex')));

  it('is the octets of the extension', () => {
    expect(serialNumberOf(named)).toBe('00c0ffee');
  });

  it('is read from any statement of a compound attestation', () => {
    const compound = { ...attestedBy(), format: 'compound', statements: [attestedBy(), named] };
    expect(serialNumberOf(compound)).toBe('00c0ffee');
  });

  it.each<[string, AttestationStatement]>([
    ['no certificate', { format: 'none', type: 'none', trustPath: [] }],
    ['no such extension', attestedBy()],
    ['a number in place of octets', attestedBy(der.integer(7))],
    ['nothing in it', attestedBy(der.octetString(Buffer.alloc(0)))],
    ['more than 64 bytes', attestedBy(der.octetString(Buffer.alloc(65, 1)))],
    ['no DER', attestedBy(Buffer.from('0480', 'hex'))],
  ])('is undefined for %s', (_, statement) => {
    expect(serialNumberOf(statement)).toBeUndefined();
  });
});
