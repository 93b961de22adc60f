import { Pattern } from '../../credentials/pattern.js';
import { Reads } from '../../validation/decorators.js';
import { RuleAmong, isObject } from '../../validation/field.js';
import type { Coded } from '../../validation/field.js';
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

interface Asked {
  readonly type?: unknown;
  readonly confirm?: unknown;
  readonly device?: unknown;
}

/** What the parameters ask for: the type, the operation that it names, and what limits that operation. */
function asked(parameters: object) {
  const { type, confirm, device }: Asked = parameters;
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
export const IsUserFilter = (options: Coded): PropertyDecorator =>
  RuleAmong('isUserFilter', options, (filter, parameters) => {
    if (!isPattern(filter)) return '"filter" must be one text of at most 1024 bytes.';
    const { type, confirm, device, operation } = asked(parameters);
    if (!operation?.change) return undefined;
    if (!filter && operation.device && credentialIdIn(device)) return undefined;
    if (isBlank(filter)) return `"${type}" needs a "filter".`;
    if (!filter?.matchesEverything || confirm === 'all') return undefined;
    return 'This filter matches everybody: it needs "confirm" with the value "all".';
  });

/**
 * Checks `device`: changes of devices need one; changes of users refuse it, since it would not limit them.
 */
export const IsDeviceFilter = (options: Coded): PropertyDecorator =>
  RuleAmong('isDeviceFilter', options, (device, parameters) => {
    if (!isPattern(device)) return '"device" must be one text of at most 2048 bytes.';
    const { type, operation } = asked(parameters);
    if (!operation?.change) return undefined;
    if (operation.device) return isBlank(device) ? `"${type}" needs a "device".` : undefined;
    return device && `"${type}" takes no "device".`;
  });

const isPattern = (value: unknown): value is Pattern | undefined =>
  value === undefined || value instanceof Pattern;

/** Checks a parameter that chooses a part of a list: changes refuse it, since it would not limit them. */
const RuleOfLists = (
  options: Coded,
  name: string,
  { fits, says }: { readonly fits: (value: unknown) => boolean; readonly says: string },
): PropertyDecorator =>
  RuleAmong(name, options, (value, parameters) => {
    if (value === undefined) return undefined;
    const { type, operation } = asked(parameters);
    if (!operation?.change) return fits(value) ? undefined : says;
    return `"${type}" takes neither "limit" nor "cursor": it changes all that match.`;
  });

export const IsLimit = (options: Coded): PropertyDecorator =>
  RuleOfLists(options, 'isLimit', {
    fits: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT,
    says: `"limit" must be a whole number from 1 to ${MAX_LIMIT}.`,
  });

export const IsPosition = (options: Coded): PropertyDecorator =>
  RuleOfLists(options, 'isPosition', {
    fits: isObject,
    says: '"cursor" must be the "next" of an answer.',
  });
