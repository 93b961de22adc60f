import { problem, type Problem } from '../../platform/errors/reasons.js';
import { hostOfOrigin } from '../../platform/validation/values/domain.js';

/** WebAuthn L3 §5.11.1: browsers must support this many labels, and may leave out those beyond. */
const SUPPORTED_LABELS = 5;

/** Labels before a country's two letters below which names are registered, such as the `co` of `co.uk`. */
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
 * The label that a name is registered under: `example` of `www.example.com` and `shop.example.co.uk`.
 * The public suffix list, which browsers use, changes every week; for a warning the usual shapes do.
 */
function registrableLabel(host: string): string {
  const labels = host.split('.');
  const [second = host, top = ''] = labels.slice(-2);
  const third = labels.at(-3);
  return third !== undefined && top.length === 2 && SECOND_LEVELS.has(second) ? third : second;
}

/** Warnings for administrators about these related origins; empty where there is none. */
export function relatedWarnings(relatedOrigins: readonly string[]): readonly Problem[] {
  const hosts = relatedOrigins.map((origin) => hostOfOrigin(origin) ?? origin);
  const labels = [...new Set(hosts.map(registrableLabel))];
  if (labels.length <= SUPPORTED_LABELS) return [];
  const beyond = labels.slice(SUPPORTED_LABELS).join(', ');
  return [problem('relatedOrigins.tooMany', { most: SUPPORTED_LABELS, beyond })];
}
