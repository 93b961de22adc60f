import type { ExtensionOutputs } from './authenticator-data.js';
import { isCborArray } from './cbor.js';

/** W3C WebAuthn L2 §10.3: user verification method, key protection, matcher protection. */
type MethodEntry = readonly [number, number, number];

const MAX_ENTRIES = 3;
const LARGEST = 0xffff_ffff;

/** Names of user verification methods (FIDO Registry §3.1), each with one bit. */
const BY_BIT: ReadonlyMap<number, string> = new Map([
  [0x0000_0001, 'presence'],
  [0x0000_0002, 'fingerprint'],
  [0x0000_0004, 'PIN'],
  [0x0000_0008, 'voice'],
  [0x0000_0010, 'face'],
  [0x0000_0020, 'location'],
  [0x0000_0040, 'iris'],
  [0x0000_0080, 'pattern'],
  [0x0000_0100, 'hand'],
  [0x0000_0200, 'no verification'],
  [0x0000_0800, 'PIN'],
  [0x0000_1000, 'pattern'],
]);

/** The names of all methods, without duplicates. */
export const USER_VERIFICATION_METHODS: readonly string[] = [...new Set(BY_BIT.values())];

/**
 * The extension output `uvm`, which reports how the authenticator verified the user, as JSON; `null` if it is missing
 * or malformed.
 */
export function userVerificationMethods(extensions: ExtensionOutputs): string | null {
  const uvm = extensions.get('uvm');
  const isRight =
    isCborArray(uvm) && uvm.length > 0 && uvm.length <= MAX_ENTRIES && uvm.every(isEntry);
  return isRight ? JSON.stringify(uvm) : null;
}

const isEntry = (entry: unknown): boolean =>
  Array.isArray(entry) && entry.length === 3 && entry.every(isUnsigned);

const isUnsigned = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value <= LARGEST;

/**
 * How the user was verified: names of `USER_VERIFICATION_METHODS`, or `method N` for an unknown number.
 *
 * @param uvm JSON of `userVerificationMethods`
 */
export function methodsOf(uvm: string): string[] {
  const entries = JSON.parse(uvm) as readonly MethodEntry[];
  return entries.map(([method]) => BY_BIT.get(method) ?? `method ${method}`);
}
