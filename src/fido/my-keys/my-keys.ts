import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import { ledgerStep, type LedgerEvent } from '../../events/ledger.js';
import { Clock } from '../../platform/common/clock.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import { scope } from '../../platform/database/scope.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { AuditAction, AuditEntry } from '../../audit/audit-entry.js';
import { LOCK_USABLE_CREDENTIAL } from '../../users/credentials/credential.statements.js';
import { isReported } from '../../users/credentials/key-state.js';
import { CredentialReader } from '../../users/credentials/credential-reader.js';
import { LOCK_USABLE_KEYS } from '../../users/credentials/key-state.statements.js';
import {
  LOCK_USER_WITH_FREE_KEY_NAME,
  NAME_CREDENTIAL,
} from '../../users/user-change.statements.js';
import { isUsable } from '../../users/sign-in-state.js';
import { UserChanges } from '../../users/user-changes.js';
import { freeKeyName, withLabels } from '../../users/credentials/key-label.js';
import { credentialIdText, type FoundCredential } from '../../users/user-rows.js';
import { transportsOf } from '../../users/credentials/transports.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { signalsOf } from '../ceremonies/ceremony.answer.js';
import { KeyOwner, type KeyCall, type KeyChanger, type KeyOwnership } from './key-owner.js';
import type { MyKey } from './my-keys.answer.js';

/** A key that its user may change. */
interface OwnKey {
  readonly owner: KeyChanger;
  readonly key: FoundCredential;
}

/** Lists, renames, deletes and reports a user's own keys. */
@Injectable()
export class MyKeys {
  constructor(
    private readonly owner: KeyOwner,
    private readonly changes: UserChanges,
    private readonly trail: AuditTrail,
    private readonly reader: CredentialReader,
    private readonly models: AuthenticatorModels,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError as `KeyOwner.reader` */
  async list(rp: RelyingParty, call: KeyCall, username: string | undefined) {
    const owner = await this.owner.reader(rp, call, username);
    const { user } = owner;
    const keys = this.viewsOf(owner, call);
    return { username: user.username, displayName: user.displayName, keys };
  }

  /** @throws ApiError as `KeyOwner.reader`; E0033R for a key that the user does not have */
  async read(rp: RelyingParty, call: KeyCall, credentialId: string, username: string | undefined) {
    const owner = await this.owner.reader(rp, call, username);
    return { key: this.viewOf(owner, call, credentialId) };
  }

  /**
   * Renames a key; if another key of the user has the name, a number follows it.
   *
   * @throws ApiError as `KeyOwner.changer`; E0033R for a key that the user does not have, E0052R as `untilStored`
   */
  async rename(rp: RelyingParty, call: KeyCall, credentialId: string, newName: string) {
    const { owner, key, deviceName } = await untilStored('user.changing', async () => {
      const owner = await this.owner.changer(rp, call);
      const key = findOwnKey(owner, credentialId);
      const audit = auditRow(rp, call, { action: 'my-keys.rename', owner, key });
      const others = owner.user.credentials.filter((one) => one !== key);
      const deviceName = freeKeyName(normalizeName(newName), others);
      const named = { ...scope(rp), id: key.id, userId: owner.user.id, deviceName };
      const isStored = await this.trail.commit(
        [audit],
        [
          whileUsable(owner),
          LOCK_USER_WITH_FREE_KEY_NAME.mustChange(named),
          NAME_CREDENTIAL.mustChange(named),
        ],
      );
      return isStored ? { owner, key, deviceName } : OVERTAKEN;
    });
    const view = this.viewOf(ownerWith(owner, key, { deviceName }), call, credentialId);
    return { key: view, ...(await this.signals(rp, owner)) };
  }

  /**
   * @param confirm `last` if the last key that can sign in may be deleted
   * @throws ApiError as `KeyOwner.changer`; E0033R for a key that the user does not have, E0034R for one that
   *   is disabled, E0045R for the last one, E0052R as `untilStored`
   */
  async delete(rp: RelyingParty, call: KeyCall, credentialId: string, confirm: 'last' | undefined) {
    const { owner, left } = await untilStored('user.changing', async () => {
      const found = await this.toDelete(rp, call, credentialId, confirm);
      return (await this.storeDeletion(rp, call, { ...found, confirm })) ? found : OVERTAKEN;
    });
    return { credentialId, left, ...(await this.signals(rp, owner)) };
  }

  /**
   * Disables a key that the user did not add: only an account can enable it again. A finding tells the help desk. A
   * repeated report changes nothing.
   *
   * @throws ApiError as `KeyOwner.changer`; E0033R for a key that the user does not have, E0034R for one that is
   *   disabled for another reason, E0045R for the one that signed in, E0052R as `untilStored`
   */
  async report(rp: RelyingParty, call: KeyCall, credentialId: string) {
    const { owner, key } = await untilStored('user.changing', async () => {
      const found = await this.toReport(rp, call, credentialId);
      return found.isDone || (await this.storeReport(rp, call, found)) ? found : OVERTAKEN;
    });
    const view = this.viewOf(ownerWith(owner, key, { enabled: false }), call, credentialId);
    return { key: view, ...(await this.signals(rp, owner)) };
  }

  private async toReport(rp: RelyingParty, call: KeyCall, credentialId: string) {
    const owner = await this.owner.changer(rp, call);
    const key = findOwnKey(owner, credentialId);
    if (hasSignedInWith(owner, key)) throw new ApiError('E0045R', 'myKeys.reportsItself');
    const isDone = isReported(key);
    if (!key.enabled && !isDone) throw new ApiError('E0034R', 'myKeys.disabled');
    return { owner, key, isDone };
  }

  /** @returns `false`, and stores nothing, if one of both keys was changed or disabled in the meantime */
  private storeReport(rp: RelyingParty, call: KeyCall, { owner, key }: OwnKey): Promise<boolean> {
    const { user } = owner;
    const { id, username, relyingParty } = user;
    const { requestId } = call;
    const at = this.clock.now();
    const event: LedgerEvent = {
      kind: 'key-reported',
      at,
      relyingParty,
      user: { id, username },
      credentialHash: key.credentialHash,
      requestId,
    };
    return this.changes.applyOnce(
      { kind: 'disable', by: { cause: 'reported', reportedAt: at } },
      { ...user, credentials: [key] },
      {
        requestId,
        // If two keys report each other, the first one is believed.
        firstSteps: [whileUsable(owner)],
        furtherSteps: () => [ledgerStep(event)],
        audit: () => auditRow(rp, call, { action: 'my-keys.report', owner, key }),
      },
    );
  }

  private async toDelete(
    rp: RelyingParty,
    call: KeyCall,
    credentialId: string,
    confirm: 'last' | undefined,
  ) {
    const owner = await this.owner.changer(rp, call);
    const key = findOwnKey(owner, credentialId);
    if (!key.enabled) throw new ApiError('E0034R', 'myKeys.disabled');
    const left = owner.user.credentials.filter((one) => isUsable(one) && one !== key).length;
    if (left === 0 && !confirm) throw new ApiError('E0045R', 'myKeys.lastKey');
    return { owner, key, left };
  }

  /** @returns `false`, and deletes nothing, if the user's keys were changed in the meantime */
  private storeDeletion(
    rp: RelyingParty,
    call: KeyCall,
    { owner, key, confirm }: OwnKey & { readonly confirm: 'last' | undefined },
  ): Promise<boolean> {
    const { user } = owner;
    // Unless the user confirms it, the deletion must leave a key that can sign in.
    const usableKeys = LOCK_USABLE_KEYS.mustChange({
      ...scope(user.relyingParty),
      userId: user.id,
    });
    return this.changes.applyOnce(
      { kind: 'delete' },
      { ...user, credentials: [key] },
      {
        requestId: call.requestId,
        firstSteps: [whileUsable(owner)],
        furtherSteps: () => (confirm ? [] : [usableKeys]),
        audit: () => auditRow(rp, call, { action: 'my-keys.delete', owner, key }),
      },
    );
  }

  /** Signals about the current keys, since another may have been stored a moment ago. */
  private async signals(rp: RelyingParty, { user }: KeyOwnership) {
    const [current, keys] = await Promise.all([
      this.reader.findUserById(rp, user.id),
      this.reader.findAllKeys(rp, user.id),
    ]);
    return current && { signals: signalsOf(rp, { ...current, keys }) };
  }

  /** @throws ApiError E0033R if the user has no such key */
  private viewOf(owner: KeyOwnership, call: KeyCall, credentialId: string): MyKey {
    return ensureFound(
      this.viewsOf(owner, call).find((view) => view.credentialId === credentialId),
    );
  }

  private viewsOf(owner: KeyOwnership, { language }: KeyCall): MyKey[] {
    const isCurrent = (key: FoundCredential) => hasSignedInWith(owner, key);
    const time = (at: number) => new Date(at).toISOString();
    return withLabels(owner.user.credentials, this.models, isCurrent).map((key) => ({
      credentialId: credentialIdText(key),
      deviceName: key.deviceName,
      label: typeof key.label === 'string' ? key.label : plainText(language, key.label),
      authenticatorName: this.models.name(aaguidText(key.aaguid)),
      createdAt: time(key.registeredAt),
      lastUsedAt: key.lastUsedAt === null ? null : time(key.lastUsedAt),
      backedUp: key.backedUp,
      transports: transportsOf(key),
      enabled: key.enabled,
      current: isCurrent(key),
    }));
  }
}

const hasSignedInWith = (
  { signedInWith }: KeyOwnership,
  { credentialHash }: FoundCredential,
): boolean => signedInWith?.equals(credentialHash) ?? false;

/** A step that fails once the key that signed in may no longer do so: it may be a thief's. */
const whileUsable = ({ user, signedInWith }: KeyChanger): Step =>
  LOCK_USABLE_CREDENTIAL.mustChange({
    ...scope(user.relyingParty),
    credentialHash: signedInWith,
    userId: user.id,
  });

/** The owner after a change of a key. */
function ownerWith<Owner extends KeyOwnership>(
  owner: Owner,
  key: FoundCredential,
  change: Partial<FoundCredential>,
): Owner {
  const credentials = owner.user.credentials.map((one) =>
    one === key ? { ...one, ...change } : one,
  );
  return { ...owner, user: { ...owner.user, credentials } };
}

/** @throws ApiError E0033R if the user has no such key */
const findOwnKey = ({ user }: KeyOwnership, credentialId: string): FoundCredential =>
  ensureFound(user.credentials.find((one) => credentialIdText(one) === credentialId));

function ensureFound<Key>(key: Key | undefined): Key {
  if (!key) throw new ApiError('E0033R');
  return key;
}

/** The audit row. Its role is `person`, since users have no account. */
const auditRow = (
  rp: RelyingParty,
  { address, requestId }: KeyCall,
  { action, owner, key }: { action: AuditAction; owner: KeyOwnership; key: FoundCredential },
): AuditEntry => ({
  account: 'user',
  role: 'person',
  address,
  action,
  result: 'ok',
  tenant: rp.tenant,
  relyingParty: rp.domain,
  target: owner.user.username,
  requestId,
  detail: { device: credentialIdText(key), deviceName: key.deviceName },
});
