import { withLabels, type ModelNames } from '../../users/credentials/key-label.js';
import type { KeptDeletion } from '../../users/deletions/deletion-steps.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { userPermissions } from './page-frame.js';

/** The notice on the page of this name and domain about a deletion that can be undone. */
export function deletionNotice(
  deletion: KeptDeletion,
  {
    name,
    domain: rp,
    account,
    models,
  }: { name: string; domain: string; account: Account; models: ModelNames },
) {
  const { id, whole, username, relyingParty, keys, reason } = deletion;
  const permissions = userPermissions(account);
  return {
    whole,
    username,
    keys: withLabels(keys, models),
    reason,
    /** The domain at which the user or the keys were deleted. */
    domain: relyingParty.domain,
    account: deletion.account,
    at: new Date(deletion.at).toISOString(),
    until: new Date(deletion.until).toISOString(),
    mayUndo: whole ? permissions.users : permissions.keys,
    /** Fields of the undo form: the deletion's ID in Base64URL, and the domain and name of the page. */
    deletion: id.toString('base64url'),
    rp,
    name,
  };
}
