import { ApiError } from '../../platform/errors/api-error.js';
import { CeremonyError } from '../../webauthn/failure.js';

/** Longer origins are cut, in answers and in the ledger. */
const MOST = 70;

/**
 * E0029R for an origin that the relying party does not list. The answer names only this origin; the log and the
 * page that explains refusals add the allowed ones.
 *
 * @param origin as the client data or the header has it, which anyone can write
 */
export function originNotAllowed(origin: string): ApiError {
  const visible = origin.slice(0, MOST).replaceAll(/[^\x21-\x7e]/g, '?');
  const shown = origin.length > MOST ? `${visible}...` : visible;
  const cause = new CeremonyError('origin-not-allowed', shown);
  return new ApiError('E0029R', 'origin.notAllowed', { origin: shown }, { cause });
}
