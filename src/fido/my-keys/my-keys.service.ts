import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../audit/audit-log.js';
import { scope } from '../../platform/database/scope.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { AuditAction } from '../../audit/actions.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { CredentialReader } from '../../users/credentials/credential-reader.js';
import { LEAVES_A_KEY, NAME_CREDENTIAL } from '../../users/change.statements.js';
import { UserChanges } from '../../users/user-changes.js';
import { withLabels, type WithLabel } from '../../users/credentials/key-label.js';
import { keyName, type FoundCredential, type FoundUser } from '../../users/user-rows.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { signalsOf } from '../signals.js';
import { KeyOwner, findOwnKey, type KeyOwnership, type KeyCall } from './key-owner.js';
import type { MyKey } from './my-keys.answer.js';

/** The key to act on. */
interface NamedKey {
  readonly credentialId: string;
}

interface KeyToDelete extends NamedKey {
  /** Whether the last key that can sign in may be deleted. */
  readonly confirmed: boolean;
}

/** Lists, renames and deletes a user's own keys. */
@Injectable()
export class MyKeys {
  constructor(
    private readonly owner: KeyOwner,
    private readonly changes: UserChanges,
    private readonly trail: AuditLog,
    private readonly reader: CredentialReader,
    private readonly models: AuthenticatorModels,
  ) {}

  /** @throws ApiError as `KeyOwner.reader` */
  async list(rp: RelyingParty, visit: KeyCall, username: string | undefined) {
    const owner = await this.owner.reader(rp, visit, username);
    const { user } = owner;
    const keys = this.labelled(owner).map((key) => this.view(owner, visit, key));
    return { username: user.username, displayName: user.displayName, keys };
  }

  /** @throws ApiError as `KeyOwner.reader`; E0033R for a key that the user does not have */
  async read(
    rp: RelyingParty,
    visit: KeyCall,
    { credentialId, username }: NamedKey & { readonly username: string | undefined },
  ) {
    const owner = await this.owner.reader(rp, visit, username);
    return { key: this.view(owner, visit, findOwnKey(this.labelled(owner), credentialId)) };
  }

  /** @throws ApiError as `KeyOwner.changer`; E0033R for a key that the user does not have */
  async rename(
    rp: RelyingParty,
    visit: KeyCall,
    wanted: NamedKey & { readonly deviceName: string },
  ) {
    const owner = await this.owner.changer(rp, visit);
    const key = findOwnKey(owner.user.credentials, wanted.credentialId);
    const audit = auditRow(rp, visit, { action: 'my-keys.rename', owner, wanted });
    const deviceName = normalizeName(wanted.deviceName);
    const names = { id: key.id, userId: owner.user.id, deviceName };
    const change = NAME_CREDENTIAL.guard({ ...scope(rp), ...names });
    // The key was deleted in the meantime.
    if (!(await this.trail.commit([audit], [change]))) throw new ApiError('E0033R');
    const credentials = owner.user.credentials.map((one) =>
      one === key ? { ...one, deviceName } : one,
    );
    const renamed = this.labelled({ ...owner, user: { ...owner.user, credentials } });
    const view = this.view(owner, visit, findOwnKey(renamed, wanted.credentialId));
    return { key: view, ...(await this.signals(rp, owner)) };
  }

  /**
   * @throws ApiError as `KeyOwner.changer`; E0033R for a key that the user does not have, E0034R for one that
   *   is disabled, E0045R for the last one, E0052R if the keys are changed at the same time
   */
  async delete(rp: RelyingParty, visit: KeyCall, wanted: KeyToDelete) {
    const { owner, key, left } = await this.toDelete(rp, visit, wanted);
    const audit = auditRow(rp, visit, { action: 'my-keys.delete', owner, wanted });
    if (!(await this.deleteKey(owner.user, key, { last: wanted.confirmed, audit }))) {
      // The keys were changed at the same time: a second check reports the reason.
      await this.toDelete(rp, visit, wanted);
      throw new ApiError('E0052R', 'user.changing');
    }
    return { credentialId: wanted.credentialId, left, ...(await this.signals(rp, owner)) };
  }

  private async toDelete(
    rp: RelyingParty,
    visit: KeyCall,
    { credentialId, confirmed }: KeyToDelete,
  ) {
    const owner = await this.owner.changer(rp, visit);
    const key = findOwnKey(owner.user.credentials, credentialId);
    if (!key.enabled) throw new ApiError('E0034R', 'myKeys.disabled');
    const left = owner.user.credentials.filter((one) => one.enabled && one !== key).length;
    if (left === 0 && !confirmed) throw new ApiError('E0045R', 'myKeys.lastKey');
    return { owner, key, left };
  }

  /**
   * @param last whether the last key that can sign in may be deleted
   * @param audit the audit row of the change, which is stored in the same unit
   * @returns `false` if it is the last key by now, or was changed or deleted in the meantime
   */
  private deleteKey(
    user: FoundUser,
    key: FoundCredential,
    { last, audit }: { readonly last: boolean; readonly audit: AuditEntry },
  ): Promise<boolean> {
    const step = LEAVES_A_KEY.guard({ ...scope(user.relyingParty), userId: user.id });
    const along = () => (last ? [] : [step]);
    const { requestId } = audit;
    const context = { requestId, along, audit: () => audit };
    return this.changes.applyOnce('delete', { ...user, credentials: [key] }, context);
  }

  /** Signals about the current keys, since another may have been stored a moment ago. */
  private async signals(rp: RelyingParty, { user }: KeyOwnership) {
    const [account, credentialIds] = await Promise.all([
      this.reader.findAccount(rp, user.id),
      this.reader.findCredentialIds(rp, user.id),
    ]);
    return account && { signals: signalsOf(rp, { ...account, credentialIds }) };
  }

  private labelled({ user, signedInWith }: KeyOwnership): WithLabel<FoundCredential>[] {
    return withLabels(
      user.credentials,
      this.models,
      (key) => signedInWith?.equals(key.credentialHash) ?? false,
    );
  }

  private view(
    { signedInWith }: KeyOwnership,
    { language }: KeyCall,
    key: WithLabel<FoundCredential>,
  ): MyKey {
    const time = (at: number) => new Date(at).toISOString();
    return {
      credentialId: keyName(key),
      deviceName: key.deviceName,
      label: typeof key.label === 'string' ? key.label : plainText(language, key.label),
      authenticatorName: this.models.name(aaguidText(key.aaguid)),
      createdAt: time(key.registeredAt),
      lastUsedAt: key.lastUsedAt === null ? null : time(key.lastUsedAt),
      backedUp: key.backedUp,
      transports: key.transports === '' ? [] : key.transports.split(','),
      enabled: key.enabled,
      current: signedInWith?.equals(key.credentialHash) ?? false,
    };
  }
}

/** The audit row. Its role is `person`, since users have no account. */
const auditRow = (
  rp: RelyingParty,
  { address, requestId }: KeyCall,
  { action, owner, wanted }: { action: AuditAction; owner: KeyOwnership; wanted: NamedKey },
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
  detail: { device: wanted.credentialId },
});
