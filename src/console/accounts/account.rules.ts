import { problem } from '../../platform/errors/reasons.js';
import { RESERVED_NAMES } from '../../platform/config/files/accounts-file.js';
import { Rule } from '../../platform/validation/rule.js';
import type { Coded } from '../../platform/validation/rule.js';
import { isListOf } from '../../platform/validation/lists.js';
import { isName } from '../../platform/validation/values/names.js';

/** RFC 7617 §2: a user-id has no colon. Reserved names mean somebody else in the audit trail. */
const isAccountName = (value: unknown): value is string =>
  isName(value) && !value.includes(':') && !RESERVED_NAMES.includes(value);

export const IsAccountName = (options: Coded): PropertyDecorator =>
  Rule('isAccountName', options, isAccountName, (field) => problem('field.accountName', { field }));

const MAX_TENANTS = 100;

export const IsTenantNames = (options: Coded): PropertyDecorator =>
  Rule(
    'isTenantNames',
    options,
    (value) => isListOf(value, MAX_TENANTS, isName),
    (field) => problem('field.tenantNames', { field, most: MAX_TENANTS }),
  );

/** NIST SP 800-63B asks for 8 characters beside another factor, for 15 without, and for no mix of kinds. */
const MIN_PASSWORD = 12;
const MAX_PASSWORD = 256;

export const IsNewPassword = (options: Coded): PropertyDecorator =>
  Rule(
    'isNewPassword',
    options,
    (value) =>
      typeof value === 'string' &&
      value.length <= MAX_PASSWORD &&
      [...value].length >= MIN_PASSWORD &&
      !/[\0\r\n]/.test(value),
    (field) => problem('field.password', { field, min: MIN_PASSWORD, max: MAX_PASSWORD }),
  );
