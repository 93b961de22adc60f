import { isDeepStrictEqual } from 'node:util';
import { phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { isName, normalizeName } from '../../platform/validation/values/names.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import type { Credential } from './credential.entity.js';
import { transportsOf } from './transports.js';

export interface LabelledKey extends Readonly<
  Pick<Credential, 'deviceName' | 'aaguid' | 'transports' | 'attestationFormat'>
> {
  readonly backupEligible: boolean;
}

export type WithLabel<Key> = Key & { readonly label: Text };

/** Names a model by its AAGUID; `null` for an unknown one. */
export interface ModelNames {
  name(aaguid: string): string | null;
}

/** The name of a key without a given name and with an unknown model. */
export const FALLBACK_NAME = 'Security key';
/** Texts for keys that are plugged in, tapped, or connected by radio, in order of preference. */
const ROAMING = ['usb', 'nfc', 'ble', 'smart-card'] as const;
/** Formats that only built-in authenticators have; used if the browser reported no transports. */
const BUILT_IN_FORMATS: readonly string[] = ['apple', 'tpm', 'android-key', 'android-safetynet'];
/** The passkey provider, if its model is named after an app: Apple's is managed in the app Passwords. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['fbfc3007-154e-4ecc-8c0b-6e020557d7bd', 'iCloud Keychain'],
]);
/** Matches the number that `freeKeyName` appends to a name that another key of the user has. */
const NUMBERED = /^(.*) \((\d+)\)$/s;

interface NamedKey {
  readonly deviceName: string;
}

/**
 * The device's name in the device metadata, else its model, else a generic name, as `freeKeyName` makes it free.
 *
 * @param existing the user's keys
 */
export const deviceName = (
  deviceMetadata: string | null,
  model: string | null,
  existing: readonly NamedKey[],
): string => freeKeyName(nameOf(deviceMetadata) ?? model ?? FALLBACK_NAME, existing);

/** A name that no other key of the user has: a second key of the same name receives the suffix ` (2)`. */
export function freeKeyName(name: string, others: readonly NamedKey[]): string {
  const taken = new Set(others.map(({ deviceName }) => deviceName));
  let candidate = name;
  for (let n = 2; taken.has(candidate); n += 1) candidate = `${name} (${n})`;
  return candidate;
}

function nameOf(deviceMetadata: string | null): string | undefined {
  if (deviceMetadata === null) return undefined;
  const { name, deviceName: other } = JSON.parse(deviceMetadata) as Record<string, unknown>;
  const found = [name, other].find(isName);
  return found === undefined ? undefined : normalizeName(found);
}

/**
 * Adds the labels that pages show for keys. A name from the user or the application stays; a generated one
 * (`Security key`, or the model) becomes a description: "This device", "Passkey in iCloud Keychain", "USB
 * security key". Equal labels receive the numbers of the stored names.
 *
 * @param keys all keys of one user
 * @param isHere whether the reader has just signed in with a key; a built-in one is then "This device"
 */
export function withLabels<Key extends LabelledKey>(
  keys: readonly Key[],
  models: ModelNames,
  isHere: (key: Key) => boolean = () => false,
): WithLabel<Key>[] {
  const labelled = keys.map((key) => ({ ...key, label: labelOf(key, models, isHere(key)) }));
  const isOf = (label: Text) => (one: { label: Text }) => isDeepStrictEqual(one.label, label);
  return labelled.map((key) => {
    const { label, deviceName } = key;
    const n = NUMBERED.exec(deviceName)?.[2];
    if (n === undefined || label === deviceName) return key;
    if (labelled.filter(isOf(label)).length === 1) return key;
    return { ...key, label: phrase('keys:label.numbered', { label, n }) };
  });
}

function labelOf(key: LabelledKey, models: ModelNames, isHere: boolean): Text {
  const { deviceName, backupEligible } = key;
  const aaguid = aaguidText(key.aaguid);
  const model = models.name(aaguid);
  const name = NUMBERED.exec(deviceName)?.[1] ?? deviceName;
  if (name !== FALLBACK_NAME && name !== model) return deviceName;
  const isOfDevice = key.transports === 'internal' && !backupEligible;
  if (isHere && isOfDevice) return phrase('keys:label.here');
  if (model === null) return phrase(`keys:label.${kindOf(key)}`);
  if (!backupEligible) return model;
  return phrase('keys:label.passkeyIn', { provider: PROVIDERS.get(aaguid) ?? model });
}

/** The label of a key whose model is unknown. */
function kindOf(key: LabelledKey): string {
  const { attestationFormat: format, backupEligible } = key;
  if (backupEligible) return 'synced';
  const reported = transportsOf(key);
  if (reported.includes('internal') || BUILT_IN_FORMATS.includes(format)) return 'builtIn';
  const roaming = ROAMING.find((one) => reported.includes(one));
  if (roaming) return roaming;
  if (reported.includes('hybrid')) return 'hybrid';
  return format === 'fido-u2f' ? 'securityKey' : 'passkey';
}
