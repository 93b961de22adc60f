import { problem } from '../platform/errors/reasons.js';
import { isDomain } from '../platform/validation/values/domain.js';
import { Rule } from '../platform/validation/rule.js';
import type { Coded } from '../platform/validation/rule.js';
import { isListOf } from '../platform/validation/decorators.js';
import { MAX_ORIGINS, isOriginList } from './changes/origin-list.js';

const TENANT = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** The short name of a tenant. */
export const IsTenantName = (options: Coded): PropertyDecorator =>
  Rule(
    'isTenantName',
    options,
    (value) => typeof value === 'string' && TENANT.test(value),
    (field) => problem('field.tenantName', { field }),
  );

/** The domain of a relying party: its RP ID. */
export const IsDomain = (options: Coded): PropertyDecorator =>
  Rule(
    'isDomain',
    options,
    (value) => typeof value === 'string' && isDomain(value),
    (field) => problem('field.domain', { field }),
  );

/** The domain from which a relying party takes its users over, or `null`. */
export const IsPredecessor = (options: Coded): PropertyDecorator =>
  Rule(
    'isPredecessor',
    options,
    (value) => value === null || (typeof value === 'string' && isDomain(value)),
    (field) => problem('field.predecessor', { field }),
  );

const MAX_DOMAINS = 100;

/** The domains of some relying parties. */
export const IsDomains = (options: Coded): PropertyDecorator =>
  Rule(
    'isDomains',
    options,
    (value) => isListOf(value, MAX_DOMAINS, (item) => typeof item === 'string' && isDomain(item)),
    (field) => problem('field.domains', { field, most: MAX_DOMAINS }),
  );

/** The origins that a relying party allows. */
export const IsOrigins = (options: Coded): PropertyDecorator =>
  Rule(
    'isOrigins',
    options,
    (value) => isOriginList(value) && value.length > 0,
    (field) => problem('field.origins', { field, most: MAX_ORIGINS }),
  );
