import { aaguidExtension } from '../../../test/support/authenticator/certificate-writer.js';
import * as der from '../../../test/support/authenticator/der-writer.js';
import { createAttester } from '../../../test/support/authenticator/statements.js';
import { firmwareVersionOf } from './firmware-version.js';
import type { AttestationStatement } from './format.js';

const AAGUID = Buffer.alloc(16, 1);

/** A statement with a certificate whose extension has this value. */
function attestedBy(value?: Buffer): AttestationStatement {
  const firmware = value ? [{ id: '1.3.6.1.4.1.45724.1.1.5', value }] : [];
  const { x5c } = createAttester(AAGUID, { extensions: [aaguidExtension(AAGUID), ...firmware] });
  return { format: 'packed', type: 'basic', trustPath: x5c };
}

describe('§8.2.1: the firmware version in an attestation certificate', () => {
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
