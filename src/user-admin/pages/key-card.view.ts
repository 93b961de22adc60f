import type { FoundCredential } from '../../credentials/user-rows.js';
import { visibleJson } from '../../presentation/visible.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import type { AttestationFacts } from './attestation-facts.js';
import { keyName } from './user-actions.js';

/** What the server knows of a model. */
export interface Model {
  readonly name: string | null;
  /** A `data:` URL. */
  readonly icon: string | null;
}

/** A key as its card shows it. */
export interface KeyCard {
  /** Names the key in forms. */
  readonly key: string;
  readonly deviceName: string;
  readonly model: string;
  readonly picture: string | null;
  /** An icon of the sprite, where there is no picture. */
  readonly icon: string;
  readonly enabled: boolean;
  readonly registered: string;
  readonly lastUsed: string | undefined;
  readonly transports: string;
  readonly synced: string;
  readonly trusted: boolean;
  readonly attestation: string;
  readonly verified: boolean;
  readonly aaguid: string;
  readonly signCount: string;
  /** JSON, indented. */
  readonly keypair: string | undefined;
}

/** W3C WebAuthn L3 §5.8.4, for people. */
const TRANSPORTS: Readonly<Record<string, string>> = {
  usb: 'USB',
  nfc: 'NFC',
  ble: 'Bluetooth',
  'smart-card': 'Smart card',
  hybrid: 'Phone nearby',
  internal: 'Built in',
};
const ANONYMOUS = '00000000-0000-0000-0000-000000000000';

export function keyCard(
  credential: FoundCredential,
  facts: AttestationFacts | undefined,
  model: Model,
): KeyCard {
  const { deviceName, enabled, registeredAt, lastUsedAt, signCount, keypair } = credential;
  const aaguid = aaguidText(credential.aaguid);
  const transports = credential.transports.split(',').filter((one) => one !== '');
  const format = credential.attestationFormat;
  return {
    ...{ deviceName, enabled, aaguid },
    key: keyName(credential),
    model: model.name ?? (aaguid === ANONYMOUS ? 'Model not told' : 'Unknown model'),
    picture: model.icon,
    icon: transports.includes('internal') || transports.includes('hybrid') ? 'phone' : 'key',
    registered: new Date(registeredAt).toISOString(),
    lastUsed: lastUsedAt === null ? undefined : new Date(lastUsedAt).toISOString(),
    transports: transports.map((one) => TRANSPORTS[one] ?? one).join(', ') || 'Not told',
    synced: syncText(credential),
    trusted: facts?.trusted ?? false,
    attestation: format === 'none' ? 'None was given' : `${format}, ${facts?.type ?? ''}`,
    verified: facts?.userVerified ?? false,
    signCount: signCount.toLocaleString('en'),
    keypair: keypair === null ? undefined : visibleJson(JSON.parse(keypair)),
  };
}

/** W3C WebAuthn L3 §6.1.3: whether the key can leave its device, and whether it has. */
function syncText({ backupEligible, backedUp }: FoundCredential): string {
  if (backedUp) return 'Synced: it is on other devices of the person too';
  return backupEligible ? 'Can be synced, but is not yet' : 'Bound to one device';
}
