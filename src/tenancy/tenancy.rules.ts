import type { Fault } from '../validation/field.js';
import { isDomain } from '../validation/domain.js';
import { NAME_RULE, isName } from '../validation/names.js';
import { MAX_ORIGINS, isOriginList } from './origin-list.js';

const TENANT = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const parameter = (good: boolean, sentence: string): Fault | undefined =>
  good ? undefined : ['E0045R', sentence];

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
    isOriginList(value) && value.length > 0,
    `"origins" must be an array of up to ${MAX_ORIGINS} origins such as https://www.example.com, ` +
      'https://*.example.com or http://localhost:*.',
  );
