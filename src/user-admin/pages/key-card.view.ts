import type { FoundCredential } from '../../credentials/user-rows.js';
import { visibleJson } from '../../presentation/visible.js';
import type { Origin } from '../../trust/provenance.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { namesOfMethods } from '../../webauthn/user-verification-methods.js';
import type { AttestationFacts } from './attestation-facts.js';
import { keyName } from './user-actions.js';

/** What the server knows of a model. */
export interface Model {
  readonly name: string | null;
  /** A `data:` URL. */
  readonly icon: string | null;
}

/** What its registration told. */
export interface KnownFacts extends Partial<AttestationFacts> {
  readonly origin: Origin | undefined;
  /** JSON. */
  readonly uvm: string | null | undefined;
  /** Of the domain from which the person comes. */
  readonly domain?: string | undefined;
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
  /** Who vouched for it. */
  readonly proven: string | undefined;
  /** Whether it signs in without a name. */
  readonly discoverable: string;
  /** By what the user was verified at the registration. */
  readonly verifiedBy: string | undefined;
  readonly verified: boolean;
  readonly aaguid: string;
  readonly signCount: string;
  /** Of the authenticator, hexadecimal. */
  readonly serialNumber: string | null;
  /** JSON, indented. */
  readonly keypair: string | undefined;
  /** Where it signs in, if that is the domain from which the person comes. */
  readonly domain: string | undefined;
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

export function keyCard(credential: FoundCredential, facts: KnownFacts, model: Model): KeyCard {
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
    trusted: facts.trusted ?? false,
    attestation: format === 'none' ? 'None was given' : `${format}, ${facts.type ?? ''}`,
    proven: facts.origin && provenText(facts.origin, facts),
    discoverable: DISCOVERABLE.get(facts.residentKey) ?? 'Not told',
    verifiedBy: facts.uvm ? namesOfMethods(facts.uvm) : undefined,
    verified: facts.userVerified ?? false,
    signCount: signCount.toLocaleString('en'),
    serialNumber: credential.serialNumber,
    keypair: keypair === null ? undefined : visibleJson(JSON.parse(keypair)),
    domain: facts.domain,
  };
}

const DISCOVERABLE: ReadonlyMap<boolean | null | undefined, string> = new Map([
  [true, 'Yes'],
  [false, 'No'],
]);

/** Whoever vouched at another server, nobody here has asked whether to trust him. */
function provenText({ format, root, certified }: Origin, { importedFrom }: KnownFacts): string {
  const by = root === undefined ? `${format}, by the key itself` : `${format}, root ${root}`;
  const text = certified === undefined ? by : `${by}, certified ${certified}`;
  return importedFrom ? `${text} (imported)` : text;
}

/** W3C WebAuthn L3 §6.1.3: whether the key can leave its device, and whether it has. */
function syncText({ backupEligible, backedUp }: FoundCredential): string {
  if (backedUp) return 'Synced: it is on other devices of the person too';
  return backupEligible ? 'Can be synced, but is not yet' : 'Bound to one device';
}
