import { aaguidExtension } from '../../../test/support/authenticator/certificate-writer.js';
import * as der from '../../../test/support/authenticator/der-writer.js';
import { createAttester } from '../../../test/support/authenticator/statements.js';
import type { AttestationStatement } from '../attestation/format.js';
import { serialNumberOf } from './serial-number.js';

const AAGUID = Buffer.alloc(16, 1);

/** A statement with a certificate whose extension has this value. */
function attestedBy(value?: Buffer): AttestationStatement {
  const serial = value ? [{ id: '1.3.6.1.4.1.45724.1.1.2', value }] : [];
  const { x5c } = createAttester(AAGUID, { extensions: [aaguidExtension(AAGUID), ...serial] });
  return { format: 'packed', type: 'basic', trustPath: x5c };
}

describe('§8.2.2: the serial number of an enterprise attestation', () => {
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
