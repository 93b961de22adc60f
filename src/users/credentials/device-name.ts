import { isName, normalizeName } from '../../platform/validation/values/names.js';

/** The name of a key without a given name and with an unknown model. */
export const FALLBACK_NAME = 'Security key';
/** W3C WebAuthn L3 §5.8.4; others are dropped, so that nothing unknown is sent back to browsers. */
const TRANSPORTS = new Set(['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal']);

/** The known transports among those that the browser reported, comma-separated. */
export function knownTransports(reported: readonly string[] = []): string {
  return [...new Set(reported)].filter((transport) => TRANSPORTS.has(transport)).join(',');
}

/**
 * The device's name in the device metadata, else its model, else a generic name; a second key of the same name
 * receives the suffix ` (2)`.
 */
export function deviceName(
  deviceMetadata: string | null,
  model: string | null,
  existing: readonly { readonly deviceName: string }[],
): string {
  const name = nameOf(deviceMetadata) ?? model ?? FALLBACK_NAME;
  const taken = new Set(existing.map((credential) => credential.deviceName));
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
