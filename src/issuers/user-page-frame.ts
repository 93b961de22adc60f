import type { Text } from '../platform/pages/languages/phrase.js';
import type { RelyingParty } from '../tenancy/relying-party.js';

/** What the pages of this door have in common: the name and the colour of the relying party, and no console menu. */
export const userPageFrame = (title: Text, rp: RelyingParty | undefined) => ({
  // The script takes the words about refusals from there.
  texts: 'userFacing',
  title,
  relyingParty: rp && { domain: rp.domain, name: rp.name },
  /** Makes the layout show the header for users. */
  isUserFacing: true,
  styles: [
    '/static/css/user-facing.css',
    ...(rp?.colour ? [`/theme.css?relyingParty=${rp.domain}`] : []),
  ],
});
