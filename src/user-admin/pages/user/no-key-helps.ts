import { Injectable } from '@nestjs/common';
import { KEYS_TODAY } from '../../../events/refusal-explanation.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { UserActions } from '../user-actions.js';
import { KeyCards } from './key-cards.js';
import { UserProfiles } from './user-profiles.js';

/** Finds out whether a name can sign in today, so that the help desk does not undo a recall. */
@Injectable()
export class NoKeyHelps {
  constructor(
    private readonly actions: UserActions,
    private readonly cards: KeyCards,
    private readonly profiles: UserProfiles,
  ) {}

  /**
   * The present state of a name that was refused because it had no key to sign in with; nothing if no user has
   * the name. The state at the refusal may have been another one.
   */
  async of(rp: RelyingParty, name: string) {
    const users = (await this.actions.everywhere(rp, [name])).map(({ user }) => user);
    if (users.length === 0) {
      const deletions = await this.actions.deleted(rp, name, users);
      return deletions.length > 0 ? KEYS_TODAY.deleted : {};
    }
    if (users.some(({ suspendedBy }) => suspendedBy !== null)) return KEYS_TODAY.suspended;
    const cards = (await Promise.all(users.map((user) => this.cards.ofUser(user, rp)))).flat();
    if (cards.length === 0) return KEYS_TODAY.noKey;
    if (cards.some(({ enabled }) => enabled)) return KEYS_TODAY.usable;
    const [user] = users;
    const { block } = (user ? await this.profiles.rulesOf(user) : rp).policy;
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
