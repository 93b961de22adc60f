import { Pattern } from '../../users/search/pattern.js';
import { problem } from '../../platform/errors/reasons.js';
import type { Problem } from '../../platform/errors/reasons.js';
import { Reads } from '../../platform/validation/decorators.js';
import { RuleAmong, isObject } from '../../platform/validation/rule.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';
import { operationOf } from './operations.js';

const MAX_LIMIT = 1000;

/**
 * Reads a pattern of at most `maxBytes`. Any other text stays: an empty one for `EmptyIsAbsent`, a longer one
 * for the rule to refuse.
 */
export const ReadsPattern = (maxBytes: number): PropertyDecorator =>
  Reads((text) =>
    text !== '' && text.isWellFormed() && Buffer.byteLength(text) <= maxBytes
      ? new Pattern(text)
      : undefined,
  );

interface ManageUsersQuery {
  readonly type?: unknown;
  readonly confirm?: unknown;
  readonly device?: unknown;
}

/** What the parameters ask for: the type, the operation that it names, and what limits that operation. */
function asked(parameters: object) {
  const { type, confirm, device }: ManageUsersQuery = parameters;
  return { type: String(type), confirm, device, operation: operationOf(parameters) };
}

const isBlank = (pattern: Pattern | undefined): boolean => (pattern?.text ?? '').trim() === '';

/** Fewest bytes of a credential ID (W3C WebAuthn L3 §4 "Credential ID"); few device names decode to that. */
const MIN_ID_BYTES = 16;

/** The bytes of one whole credential ID; `undefined` for any other pattern. */
export function credentialIdIn(device: unknown): Buffer | undefined {
  const id = device instanceof Pattern ? decodeBase64Url(device.text) : undefined;
  return id && id.length >= MIN_ID_BYTES ? id : undefined;
}

/**
 * Checks `filter`. A change needs one, unless it changes devices and `device` is a whole credential ID; a
 * filter that matches everybody needs a confirmation too.
 */
export const IsUserFilter = RuleAmong('isUserFilter', (filter, parameters) => {
  if (!isPattern(filter)) return problem('field.maxBytes', { field: 'filter', most: 1024 });
  const { type, confirm, device, operation } = asked(parameters);
  if (!operation?.change) return undefined;
  if (!filter && operation.device && credentialIdIn(device)) return undefined;
  if (isBlank(filter)) return problem('filter.needed', { type });
  if (!filter?.matchesEverything || confirm === 'all') return undefined;
  return problem('filter.everybody');
});

/**
 * Checks `device`: changes of devices need one; changes of users refuse it, since it would not limit them.
 */
export const IsDeviceFilter = RuleAmong('isDeviceFilter', (device, parameters) => {
  if (!isPattern(device)) return problem('field.maxBytes', { field: 'device', most: 2048 });
  const { type, operation } = asked(parameters);
  if (!operation?.change) return undefined;
  if (operation.device) {
    return isBlank(device) ? problem('filter.deviceNeeded', { type }) : undefined;
  }
  return device && problem('filter.noDevice', { type });
});

const isPattern = (value: unknown): value is Pattern | undefined =>
  value === undefined || value instanceof Pattern;

/** Checks a parameter that chooses a part of a list: changes refuse it, since it would not limit them. */
const RuleOfLists = (
  name: string,
  { fits, wrong }: { readonly fits: (value: unknown) => boolean; readonly wrong: Problem },
) =>
  RuleAmong(name, (value, parameters) => {
    if (value === undefined) return undefined;
    const { type, operation } = asked(parameters);
    if (!operation?.change) return fits(value) ? undefined : wrong;
    return problem('filter.noPage', { type });
  });

export const IsLimit = RuleOfLists('isLimit', {
  fits: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT,
  wrong: problem('field.wholeNumber', { field: 'limit', min: 1, max: MAX_LIMIT }),
});

export const IsPosition = RuleOfLists('isPosition', {
  fits: isObject,
  wrong: problem('cursor.wrong'),
});
