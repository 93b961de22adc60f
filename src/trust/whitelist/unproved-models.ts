import type { Warning } from '../../presentation/page.view.js';
import type { ServerOptions } from '../../config/server-options.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';

/** What is to be known where a whitelist takes the word of whoever made a certificate, and what helps. */
export const UNPROVED_MODELS = {
  title: 'Nothing proves the models on the whitelist.',
  text: 'There is neither metadata nor a trust anchor, so any certificate can claim a listed model.',
  mend: 'Start with --mds, or give the relying parties anchors in their policy.',
} as const;

/** The same for the box of a page. */
export const UNPROVED_WARNING: Warning = {
  title: UNPROVED_MODELS.title,
  text: `${UNPROVED_MODELS.text} ${UNPROVED_MODELS.mend}`,
};

/** Whether the whitelist is on and some relying party has nothing to hold certificates against. */
export function hasUnprovedModels(
  { aaguid, mds }: Pick<ServerOptions, 'aaguid' | 'mds'>,
  relyingParties: readonly Pick<RelyingParty, 'policy'>[],
): boolean {
  const isBare = relyingParties.some(({ policy }) => policy.anchors.length === 0);
  return aaguid && mds.length === 0 && isBare;
}
