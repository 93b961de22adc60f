import { problem } from '../../platform/errors/reasons.js';
import type { Problem } from '../../platform/errors/reasons.js';
import { hostOfOrigin, isOrigin } from '../../platform/validation/values/domain.js';

export const MAX_ORIGINS = 100;

/** Whether the value can be the allowed origins of a relying party, or its top origins. */
export const isOriginList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= MAX_ORIGINS && value.every(isOrigin);

/** Browsers trust these without TLS (W3C Secure Contexts §3.1). */
const isOfThisMachine = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost');

/** Warnings for administrators about allowed origins; empty where there is none. */
export function originWarnings(origins: readonly string[]): readonly Problem[] {
  const open = origins.filter((origin) => {
    const host = origin.startsWith('http:') ? hostOfOrigin(origin) : undefined;
    return host !== undefined && !isOfThisMachine(host);
  });
  if (open.length === 0) return [];
  return [problem('origins.notEncrypted', { origins: open.join(', ') })];
}
