import { Injectable } from '@nestjs/common';
import { KEYS_TODAY } from '../../../events/refusal-explanation.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { normalizeName } from '../../../platform/validation/values/names.js';
import { Deletions } from '../../../users/deletions/deletions.js';
import { LinkedUsers } from '../../../users/moves/linked-users.js';
import { KeyCards } from './key-cards.js';

/** Finds out whether a name can sign in today, so that the help desk does not undo a recall. */
@Injectable()
export class NoKeyHelps {
  constructor(
    private readonly linked: LinkedUsers,
    private readonly deletions: Deletions,
    private readonly cards: KeyCards,
  ) {}

  /**
   * The present state of a name that was refused because it had no key to sign in with; nothing if no user has
   * the name. The state at the refusal may have been another one.
   */
  async of(rp: RelyingParty, name: string) {
    const users = (await this.linked.find(rp, [normalizeName(name)])).map(({ user }) => user);
    if (users.length === 0) {
      const deletions = await this.deletions.everywhere(rp, name, users);
      return deletions.length > 0 ? KEYS_TODAY.deleted : {};
    }
    if (users.some(({ suspendedBy }) => suspendedBy !== null)) return KEYS_TODAY.suspended;
    const keys = await Promise.all(users.map((user) => this.cards.ofUser(user, rp)));
    const cards = keys.flatMap((one) => one.cards);
    if (cards.length === 0) return KEYS_TODAY.noKey;
    if (cards.some(({ enabled }) => enabled)) return KEYS_TODAY.usable;
    const { block } = keys[0]?.rules ?? rp.policy;
    const models = block?.mode === 'enforce' ? block.value : [];
    const disabledKeys = cards.map(({ label, disabled, finding, aaguid }) => ({
      label,
      disabled,
      finding: finding?.means,
      /** Whether the rules of the user block the model: then the key should not be enabled. */
      blocked: models.includes(aaguid),
    }));
    const isBlocked = disabledKeys.every(({ blocked }) => blocked);
    return { ...(isBlocked ? KEYS_TODAY.blocked : KEYS_TODAY.disabled), disabledKeys };
  }
}
