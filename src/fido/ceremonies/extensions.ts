import { isObject } from '../../platform/validation/field-validator.js';
import { nestsDeeper } from '../../platform/validation/nesting.js';

const MAX_BYTES = 2048;
/** Each level takes at least two characters. */
const MAX_LEVELS = MAX_BYTES / 2;

/** The credProtect levels under their browser names (CTAP 2.1 §12.1). */
const PROTECTION = [
  'userVerificationOptional',
  'userVerificationOptionalWithCredentialIDList',
  'userVerificationRequired',
  'userVerificationRequired',
] as const;
const HIGH_PROTECTION = 3;

const isBoolean = (value: unknown) => typeof value === 'boolean';

/** Inputs whose form is known; others are passed on unchanged. */
const KNOWN: Readonly<Record<string, (value: unknown) => boolean>> = {
  credProps: isBoolean,
  credProtect: (value) => Number.isInteger(value) && PROTECTION[value as number] !== undefined,
  credentialProtectionPolicy: (value) => PROTECTION.some((policy) => policy === value),
  enforceCredentialProtectionPolicy: isBoolean,
  minPinLength: isBoolean,
  uvm: isBoolean,
  largeBlob: isObject,
  prf: isObject,
};

/**
 * Inputs that name a U2F AppID (WebAuthn L3 §10.1.1, §10.1.2). Relying parties have no AppID here, so their
 * outputs could not be verified.
 */
export const APP_ID_INPUTS: readonly string[] = ['appid', 'appidExclude'];

type ExtensionInputs = Readonly<Record<string, unknown>>;

export function isExtensions(value: unknown): value is ExtensionInputs {
  if (!isObject(value) || nestsDeeper(value, MAX_LEVELS)) return false;
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES) return false;
  return Object.entries(value).every(([name, input]) => {
    const isRight = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
    return isRight === undefined || isRight(input);
  });
}

/** Extension inputs of creation options: always `credProps`, and credProtect under its browser names. */
export function creationExtensions(requested: ExtensionInputs = {}) {
  const { credProtect, ...others } = requested;
  const inputs: Record<string, unknown> = { ...others, credProps: true };
  if (typeof credProtect === 'number') {
    inputs['credentialProtectionPolicy'] = PROTECTION[credProtect];
    if (credProtect === HIGH_PROTECTION) inputs['enforceCredentialProtectionPolicy'] = true;
  }
  const policy = inputs['credentialProtectionPolicy'];
  const enforced = inputs['enforceCredentialProtectionPolicy'] === true && policy !== undefined;
  return {
    inputs,
    /** Browsers reject this protection unless user verification is required. */
    needsUserVerification: policy === 'userVerificationRequired',
    /** The credProtect level that the registration must report; `undefined` if none is required. */
    enforcedProtection: enforced ? PROTECTION.findIndex((name) => name === policy) + 1 : undefined,
  };
}
