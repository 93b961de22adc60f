import { attestationRoot } from '../../../../packages/testing/src/attester.js';
import { pemOf } from '../../../../packages/testing/src/pem.js';
import { certificatesOfPem, isCertificatePem } from './pem.js';

const DER = attestationRoot().certificate;
const PEM = pemOf(DER);
const withHeaders = (headers: string) => PEM.replace('-----\n', `-----\n${headers}\n\n`);

describe('the certificates of a PEM text (RFC 7468)', () => {
  it.each([
    ['alone', PEM],
    ['with lines that end as on Windows', PEM.replaceAll('\n', '\r\n')],
    ['after text of other tools', `Bag Attributes\n    friendlyName: Root\n${PEM}`],
    ['with a header', withHeaders('Comment: the root')],
    [
      'with headers of several lines',
      withHeaders('Proc-Type: 4,CLEAR\r\nComment: the\r\n root\r').replace('\r\n\n', '\r\n\r\n'),
    ],
    ['under an older label', PEM.replaceAll('CERTIFICATE', 'X509 CERTIFICATE')],
    ['under the label of OpenSSL’s trusted ones', PEM.replaceAll('CERT', 'TRUSTED CERT')],
  ])('reads a certificate %s', (_, text) => {
    expect(certificatesOfPem(text)).toEqual([DER]);
    expect(certificatesOfPem(`${PEM}${text}`)).toEqual([DER, DER]);
    expect(isCertificatePem(text)).toBe(true);
  });

  it.each([
    ['no certificate', 'none'],
    ['bytes that are no certificate', PEM.replace('MII', 'AAA')],
    ['a certificate and bytes that are none', `${PEM}${PEM.replace('MII', 'AAA')}`],
  ])('does not accept a text with %s', (_, text) => {
    expect(isCertificatePem(text)).toBe(false);
  });
});
