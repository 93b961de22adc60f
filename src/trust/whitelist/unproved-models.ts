import { phrase } from '../../platform/pages/languages/phrase.js';
import type { Warning } from '../../platform/pages/page.view.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';

/** Warning that no anchor proves the listed models, so that anyone can make a certificate that claims one. */
export const UNPROVED_WARNING: Warning = {
  title: phrase('findings:unproved-models.title'),
  text: phrase('findings:textAndMend', {
    text: phrase('findings:unproved-models.text'),
    mend: phrase('findings:unproved-models.mend'),
  }),
};

/** Whether the whitelist is on, and a relying party has neither metadata nor anchors for checking certificates. */
export function hasUnprovedModels(
  { aaguid, mds }: Pick<ServerOptions, 'aaguid' | 'mds'>,
  relyingParties: readonly Pick<RelyingParty, 'policy'>[],
): boolean {
  const isBare = relyingParties.some(({ policy }) => policy.anchors.length === 0);
  return aaguid && mds.length === 0 && isBare;
}
