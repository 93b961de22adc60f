import { problem, type Problem } from '../../platform/errors/reasons.js';
import { hostOfOrigin } from '../../platform/validation/values/domain.js';

/** WebAuthn L3 §5.11.1: browsers must support this many labels and may ignore further ones. */
const SUPPORTED_LABELS = 5;

/** Labels that precede a country's two letters in a public suffix, for example `co` in `co.uk`. */
const SECOND_LEVELS = new Set([
  'ac',
  'co',
  'com',
  'edu',
  'gob',
  'gov',
  'go',
  'net',
  'ne',
  'or',
  'org',
]);

/**
 * The registrable label of a name: `example` of `www.example.com` and `shop.example.co.uk`. The public
 * suffix list, which browsers use, changes every week; for a warning the usual shapes are enough.
 */
function registrableLabel(host: string): string {
  const labels = host.split('.');
  const [second = host, top = ''] = labels.slice(-2);
  const third = labels.at(-3);
  return third !== undefined && top.length === 2 && SECOND_LEVELS.has(second) ? third : second;
}

/** Warnings for administrators about these related origins. */
export function relatedWarnings(relatedOrigins: readonly string[]): readonly Problem[] {
  const hosts = relatedOrigins.map((origin) => hostOfOrigin(origin) ?? origin);
  const labels = [...new Set(hosts.map(registrableLabel))];
  if (labels.length <= SUPPORTED_LABELS) return [];
  const beyond = labels.slice(SUPPORTED_LABELS).join(', ');
  return [problem('relatedOrigins.tooMany', { most: SUPPORTED_LABELS, beyond })];
}
