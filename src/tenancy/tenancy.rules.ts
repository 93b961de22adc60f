import { isDomain } from '../validation/domain.js';
import { Rule } from '../validation/field.js';
import type { Coded } from '../validation/field.js';
import { isListOf } from '../validation/lists.js';
import { MAX_ORIGINS, isOriginList } from './origin-list.js';

const TENANT = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** The short name of a tenant. */
export const IsTenantName = (options: Coded): PropertyDecorator =>
  Rule(
    'isTenantName',
    options,
    (value) => typeof value === 'string' && TENANT.test(value),
    'must be 1 to 64 characters of a–z, 0–9 and hyphen',
  );

/** The domain of a relying party: its RP ID. */
export const IsDomain = (options: Coded): PropertyDecorator =>
  Rule(
    'isDomain',
    options,
    (value) => typeof value === 'string' && isDomain(value),
    'must be a domain name such as login.example.com, in lower case (of other letters as xn--…), not an IP address',
  );

/** The domain from which a relying party takes its users over, or `null`. */
export const IsPredecessor = (options: Coded): PropertyDecorator =>
  Rule(
    'isPredecessor',
    options,
    (value) => value === null || (typeof value === 'string' && isDomain(value)),
    'must be null or the domain of another relying party',
  );

const MAX_DOMAINS = 100;

/** The domains of some relying parties. */
export const IsDomains = (options: Coded): PropertyDecorator =>
  Rule(
    'isDomains',
    options,
    (value) => isListOf(value, MAX_DOMAINS, (item) => typeof item === 'string' && isDomain(item)),
    `must be an array of 1 to ${MAX_DOMAINS} domains`,
  );

/** The origins that a relying party allows. */
export const IsOrigins = (options: Coded): PropertyDecorator =>
  Rule(
    'isOrigins',
    options,
    (value) => isOriginList(value) && value.length > 0,
    `must be an array of up to ${MAX_ORIGINS} origins such as https://www.example.com, ` +
      'https://*.example.com or http://localhost:*',
  );
