import { keyStateOf } from '../../../users/credentials/key-state.js';
import type { KeyDisabling } from '../../../users/credentials/key-state.js';
import type { WithLabel } from '../../../users/credentials/key-label.js';
import type { FoundCredential } from '../../../users/user-rows.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import type { Phrase, Text } from '../../../platform/pages/languages/phrase.js';
import { visibleJson } from '../../../platform/pages/visible-characters.js';
import { statusText } from '../../../trust/models/status-text.js';
import type { Origin } from '../../../trust/provenance.js';
import { aaguidText } from '../../../webauthn/aaguid.js';
import { METHODS, methodsOf } from '../../../webauthn/user-verification-methods.js';
import type { AttestationFacts } from './attestation-facts.js';
import type { KeyFinding } from './key-finding.view.js';
import { keyName } from '../user-actions.js';

/** The name and picture of an authenticator model, where metadata has them. */
interface Model {
  readonly name: string | null;
  /** A `data:` URL. */
  readonly icon: string | null;
  /** The status by which the metadata speaks against it. */
  readonly against: string | undefined;
}

/** Facts about a key that lists of users leave out. */
interface KnownFacts extends Partial<AttestationFacts> {
  readonly origin: Origin | undefined;
  /** The user verification methods of the registration, as JSON. */
  readonly uvm: string | null | undefined;
  /** The person's former domain, where the key is registered there. */
  readonly domain?: string | undefined;
  readonly finding?: KeyFinding | undefined;
}

/** A key as its card shows it. */
export interface KeyCard {
  /** The credential ID, which names the key in forms. */
  readonly key: string;
  readonly label: Text;
  readonly model: Text;
  readonly picture: string | null;
  /** An icon of the sprite, where there is no picture. */
  readonly icon: string;
  readonly enabled: boolean;
  /** Who disabled the key; absent where no person did. */
  readonly disabled: Phrase | undefined;
  readonly registered: string;
  readonly lastUsed: string | undefined;
  readonly transports: readonly Text[];
  readonly synced: Phrase;
  readonly trusted: boolean;
  /** What the metadata says against the model, in words; it then is not called trusted. */
  readonly against: Text | undefined;
  /** Address of the page of its model; absent where the authenticator does not report one. */
  readonly modelPage: string | undefined;
  /** Format and type of the attestation; absent where none was given. */
  readonly attestation: string | undefined;
  /** Who vouched for the key at its registration. */
  readonly proven: Phrase | undefined;
  /** Whether it signs in without a user name. */
  readonly discoverable: Phrase;
  /** How the user was verified at the registration. */
  readonly verifiedBy: readonly Text[] | undefined;
  readonly verified: boolean;
  readonly aaguid: string;
  readonly signCount: number;
  /** Serial number of the authenticator, in hex. */
  readonly serialNumber: string | null;
  /** Device metadata of the registration, as indented JSON. */
  readonly keypair: string | undefined;
  /** The person's former domain, where the key signs in there. */
  readonly domain: string | undefined;
  /** Set if its registration would no longer conform to the policy. */
  readonly finding: KeyFinding | undefined;
}

/** Transports that have a text (W3C WebAuthn L3 §5.8.4); others are shown as they were sent. */
const TRANSPORTS: readonly string[] = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal'];
const ANONYMOUS = '00000000-0000-0000-0000-000000000000';

export function keyCard(
  credential: WithLabel<FoundCredential>,
  facts: KnownFacts,
  model: Model,
): KeyCard {
  const { label, enabled, registeredAt, lastUsedAt, signCount, keypair } = credential;
  const aaguid = aaguidText(credential.aaguid);
  const transports = credential.transports.split(',').filter((one) => one !== '');
  const format = credential.attestationFormat;
  const against = model.against ?? facts.origin?.against;
  return {
    label,
    enabled,
    disabled: disablingOf(credential),
    aaguid,
    key: keyName(credential),
    model:
      model.name ?? phrase(aaguid === ANONYMOUS ? 'users:card.noModel' : 'users:card.unknownModel'),
    picture: model.icon,
    icon: transports.includes('internal') || transports.includes('hybrid') ? 'phone' : 'key',
    registered: new Date(registeredAt).toISOString(),
    lastUsed: lastUsedAt === null ? undefined : new Date(lastUsedAt).toISOString(),
    transports: transports.map(transportText),
    synced: syncText(credential),
    trusted: facts.trusted ?? false,
    against: against === undefined ? undefined : statusText(against),
    modelPage: aaguid === ANONYMOUS ? undefined : `/userapi/aaguid/${aaguid}`,
    attestation: format === 'none' ? undefined : `${format}, ${facts.type ?? ''}`,
    proven: facts.origin && provenText(facts.origin, facts),
    discoverable: discoverableText(facts.residentKey),
    verifiedBy: facts.uvm ? methodsOf(facts.uvm).map(methodText) : undefined,
    verified: facts.userVerified ?? false,
    signCount,
    serialNumber: credential.serialNumber,
    keypair: keypair === null ? undefined : visibleJson(JSON.parse(keypair)),
    domain: facts.domain,
    finding: facts.finding,
  };
}

/** A finding that disables the key is another text: both may hold. */
function disablingOf(credential: FoundCredential): Phrase | undefined {
  const { disabledBy } = keyStateOf(credential);
  if (disabledBy === null) return undefined;
  const { account, reason, cause } = JSON.parse(disabledBy) as KeyDisabling;
  if (cause) return phrase(`users:card.disabled.${cause}`);
  if (account === undefined) return phrase('users:card.disabled.somebody');
  return reason
    ? phrase('users:card.disabled.because', { account, reason })
    : phrase('users:card.disabled.account', { account });
}

const transportText = (one: string): Text =>
  TRANSPORTS.includes(one) ? phrase(`users:card.transports.${one}`) : one;

const methodText = (method: string): Text =>
  METHODS.includes(method)
    ? phrase(`users:card.methods.${method === 'no verification' ? 'none' : method}`)
    : method;

function discoverableText(residentKey: boolean | null | undefined): Phrase {
  if (typeof residentKey !== 'boolean') return phrase('users:card.notTold');
  return residentKey ? phrase('users:card.yes') : phrase('users:card.no');
}

/**
 * Who vouched for the key. An imported key is marked, since this server has not checked whether to trust
 * them.
 */
function provenText({ format, root, certified }: Origin, { importedFrom }: KnownFacts): Phrase {
  const by =
    root === undefined
      ? phrase('users:card.proven.itself', { format })
      : phrase('users:card.proven.root', { format, root });
  const text =
    certified === undefined ? by : phrase('users:card.proven.certified', { by, certified });
  return importedFrom ? phrase('users:card.proven.imported', { by: text }) : text;
}

/** W3C WebAuthn L3 §6.1.3: whether the key can leave its device, and whether it has. */
function syncText({ backupEligible, backedUp }: FoundCredential): Phrase {
  if (backedUp) return phrase('users:card.synced');
  return backupEligible ? phrase('users:card.syncable') : phrase('users:card.bound');
}
