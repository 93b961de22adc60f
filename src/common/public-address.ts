import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * IPv4 addresses that lead to no public host: the blocks of IANA's special-purpose registry (RFC 6890) that
 * are not globally reachable (this network, private, shared or CGNAT, loopback, link-local, protocol
 * assignments, documentation, benchmarks), relays of 6to4, multicast and reserved addresses.
 */
const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/**
 * Blocks within 2000::/3, the only global unicast addresses (RFC 4291 §2.4), that are not public: protocol
 * assignments with Teredo and ORCHID, documentation, and 6to4, which holds an IPv4 address. Loopback, the
 * unspecified address, mapped IPv4, NAT64, unique local, link-local and multicast lie outside of 2000::/3.
 */
const NOT_PUBLIC_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const blocked = listOf(NOT_PUBLIC_IPV4, 'ipv4');
const blockedIpv6 = listOf(NOT_PUBLIC_IPV6, 'ipv6');
const unicast = listOf(['2000::/3'], 'ipv6');

function listOf(blocks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', prefix] = block.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

/**
 * Whether an IP address belongs to the public internet, so that the server may connect to it for a stranger.
 *
 * @param address an IP address as `dns.lookup` returns it, without brackets; any other text is not public
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !blocked.check(address, 'ipv4');
  // An address with a zone belongs to one of this machine's own links.
  if (!isIPv6(address) || address.includes('%')) return false;
  return unicast.check(address, 'ipv6') && !blockedIpv6.check(address, 'ipv6');
}
