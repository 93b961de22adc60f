import type { Fault } from '../validation/field.js';
import { isObject } from '../validation/field.js';
import { isDomain } from '../validation/domain.js';
import { NAME_RULE, isName } from '../validation/names.js';

const TENANT = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const WEB_ORIGIN = /^https?:\/\/(?:\*\.)?([^/:*?#@\\]+)(?::(?:\d{1,5}|\*))?$/;
const APP_ORIGIN = /^(?:android:apk-key-hash:[\w-]+|ios:bundle-id:[\w.-]+)$/;
const MAX_ORIGINS = 100;

const POLICY: Record<string, readonly string[]> = {
  userVerification: ['required', 'preferred', 'discouraged'],
  registration: ['open', 'first-only', 'ticket'],
  counter: ['reject', 'warn', 'disable'],
};

const parameter = (good: boolean, sentence: string): Fault | undefined =>
  good ? undefined : ['E0045R', sentence];

/** Exact origins, `https://*.example.com`, `http://localhost:*`, or an app's origin. */
export function isOriginEntry(entry: unknown): entry is string {
  if (typeof entry !== 'string') return false;
  const host = WEB_ORIGIN.exec(entry)?.[1];
  return host === undefined ? APP_ORIGIN.test(entry) : isDomain(host);
}

const isOriginList = (value: unknown) =>
  Array.isArray(value) && value.length <= MAX_ORIGINS && value.every(isOriginEntry);

export const tenantRule = (value: unknown) =>
  parameter(
    typeof value === 'string' && TENANT.test(value),
    '"tenant" must be 1 to 64 characters of a–z, 0–9 and hyphen.',
  );

export const domainRule = (value: unknown) =>
  parameter(
    typeof value === 'string' && isDomain(value),
    '"domain" must be a domain name in lower case (A-labels), not an IP address.',
  );

export const displayNameRule = (value: unknown) =>
  parameter(isName(value), `The display name ${NAME_RULE}.`);

export const originsRule = (value: unknown) =>
  parameter(
    isOriginList(value) && (value as unknown[]).length > 0,
    `"origins" must be an array of up to ${MAX_ORIGINS} origins such as https://www.example.com, ` +
      'https://*.example.com or http://localhost:*.',
  );

export function policyRule(value: unknown): Fault | undefined {
  if (!isObject(value)) return ['E0045R', '"policy" must be an object.'];
  for (const [name, setting] of Object.entries(value)) {
    const words = Object.hasOwn(POLICY, name) ? POLICY[name] : undefined;
    if (words && !words.includes(setting as string)) {
      return ['E0045R', `"policy.${name}" must be one of ${words.join(', ')}.`];
    }
    if (name === 'topOrigins' ? !isOriginList(setting) : !words) {
      return ['E0045R', `The policy knows ${Object.keys(POLICY).join(', ')} and topOrigins.`];
    }
  }
  return undefined;
}
