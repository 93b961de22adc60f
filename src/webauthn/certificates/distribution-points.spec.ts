import {
  basicConstraints,
  createAuthority,
} from '../../../packages/testing/src/certificate-writer.js';
import * as der from '../../../packages/testing/src/der-writer.js';
import { distributionPoints } from '../../../packages/testing/src/revocation-list-writer.js';
import { distributionPointsOf, readDistributionPoints } from './distribution-points.js';

const WEB = 'http://crl.example/maker.crl';
const valueOf = (...addresses: readonly string[]) => distributionPoints(...addresses).value;

describe('the distribution points of a certificate (RFC 5280 §4.2.1.13)', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['the first address on the web', ['ldap://x', WEB, 'https://other.example'], [WEB]],
    ['no address if none is on the web', ['ldap://x', 'ftp://x', 'file:///etc/passwd'], []],
    ['no address if it is invalid', ['http://['], []],
    ['no address that is too long', [`http://x/${'x'.repeat(1024)}`], []],
  ])('reads from the distribution points %s', (_, addresses, expected) => {
    expect(readDistributionPoints(valueOf(...addresses))).toEqual(expected);
  });

  it('ignores revocation lists of other authorities', () => {
    const name = der.element(0xa0, der.text(6, WEB));
    const point = der.sequence(der.explicit(0, name), der.explicit(2, der.sequence()));
    expect(readDistributionPoints(der.sequence(point))).toEqual([]);
  });

  it.each(['', '05', '0500', '3080'])(
    'returns no distribution points for the invalid bytes %j',
    (hex) => {
      expect(readDistributionPoints(Buffer.from(hex, 'hex'))).toBeUndefined();
    },
  );

  it('checks each certificate against the list of its issuer, and a root against its own', () => {
    const extensions = [basicConstraints(true), distributionPoints(WEB)];
    const root = createAuthority('Root', { extensions });
    const issued = createAuthority('Issued', { issuer: root, extensions });
    const points = distributionPointsOf([issued.certificate, root.certificate]);
    expect(points).toEqual([
      { address: WEB, issuer: root.certificate },
      { address: WEB, issuer: root.certificate },
    ]);
    expect(distributionPointsOf([issued.certificate])).toEqual([]);
  });
});
