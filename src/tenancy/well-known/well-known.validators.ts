import { problem, type Problem } from '../../platform/errors/reasons.js';
import { isListOf } from '../../platform/validation/decorators.js';
import { isDomain, webAddress } from '../../platform/validation/values/domain.js';
import { isObject } from '../../platform/validation/field-validator.js';

const MAX_RELATED = 100;
const MAX_APPS = 20;
const MAX_FINGERPRINTS = 10;
const MAX_URL = 2048;
const MAX_PACKAGE = 255;

/** An origin as browsers serialise it: without the default port. */
const HTTPS_ORIGIN = /^https:\/\/([^/:*?#@\\]+)(?::(?!443$)([1-9]\d{0,4}))?$/;
const MAX_PORT = 65535;
const PACKAGE = /^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+$/;
const FINGERPRINT = /^(?:[0-9A-Fa-f]{2}:){31}[0-9A-Fa-f]{2}$/;
const APPLE_APP = /^[A-Z0-9]{10}\.[A-Za-z0-9.-]{1,155}$/;

/** Whether the value is a list without duplicates. An empty list removes the stored items. */
const isList = (value: unknown, max: number, fits: (item: unknown) => boolean): boolean =>
  isListOf(value, fits, { min: 0, max, unique: true });

/** Whether the value is an object with no other members than these, each of which passes its test. */
const hasOnly = (
  value: unknown,
  members: Readonly<Record<string, (member: unknown) => boolean>>,
): boolean =>
  isObject(value) &&
  Object.entries(value).every(
    ([name, member]) => Object.hasOwn(members, name) && members[name]?.(member) === true,
  );

function isHttpsOrigin(value: unknown): boolean {
  const [, host, port = '1'] = (typeof value === 'string' && HTTPS_ORIGIN.exec(value)) || [];
  return host !== undefined && isDomain(host) && Number(port) <= MAX_PORT;
}

const isText = (pattern: RegExp, most: number) => (value: unknown) =>
  typeof value === 'string' && value.length <= most && pattern.test(value);

const isFingerprint = isText(FINGERPRINT, 95);

function isAndroidApp(value: unknown): boolean {
  const fits = hasOnly(value, {
    package: isText(PACKAGE, MAX_PACKAGE),
    fingerprints: (list) =>
      isListOf(list, isFingerprint, { min: 1, max: MAX_FINGERPRINTS, unique: true }),
  });
  return fits && Object.keys(value as object).length === 2;
}

export const areAndroidApps = (value: unknown): boolean => isList(value, MAX_APPS, isAndroidApp);

export const areAppleApps = (value: unknown): boolean =>
  isList(value, MAX_APPS, isText(APPLE_APP, MAX_PACKAGE));

export const areRelatedOrigins = (value: unknown): boolean =>
  isList(value, MAX_RELATED, isHttpsOrigin);

export const relatedOriginsProblem = (field: string): Problem =>
  problem('field.relatedOrigins', { field, most: MAX_RELATED });

export const areApps = (value: unknown): boolean =>
  hasOnly(value, { android: areAndroidApps, apple: areAppleApps });

export const appsProblem = (field: string): Problem =>
  problem('field.apps', { field, apps: MAX_APPS, fingerprints: MAX_FINGERPRINTS });

/** A web address without user information that a link may contain. */
export function isHttpsAddress(value: unknown): boolean {
  const url = webAddress(value, MAX_URL);
  return url?.protocol === 'https:' && url.href.startsWith(String(value));
}

export const arePasskeyEndpoints = (value: unknown): boolean =>
  hasOnly(value, { enroll: isHttpsAddress, manage: isHttpsAddress });
