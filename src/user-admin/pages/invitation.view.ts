import type { InvitationState } from '../../invitations/invitation-state.js';
import { stateOf } from '../../invitations/invitation-state.js';
import type { Invitation } from '../../invitations/invitation.entity.js';
import { qrCode } from '../../invitations/qr-code.js';
import type { PageView } from '../../presentation/page.view.js';
import { visible } from '../../presentation/visible.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { userAddress } from './addresses.js';

const WORDS: Readonly<Record<InvitationState, string>> = {
  open: 'Open',
  used: 'Used',
  expired: 'Expired',
  revoked: 'Withdrawn',
  locked: 'Ended: wrong names',
  'worn-out': 'Ended: too many tries',
};

/** An invitation on a person's page. */
export interface InvitationEntry {
  readonly id: string;
  readonly open: boolean;
  readonly says: string;
  readonly keys: string;
  readonly issuedBy: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
}

export function invitationEntry(invitation: Invitation, now: number): InvitationEntry {
  const state = stateOf(invitation, now);
  return {
    id: invitation.id.toString('base64url'),
    open: state === 'open',
    says: WORDS[state],
    keys: `${invitation.keysMade} of ${invitation.minKeys}`,
    issuedBy: invitation.issuedBy,
    issuedAt: new Date(invitation.issuedAt).toISOString(),
    expiresAt: new Date(invitation.expiresAt).toISOString(),
  };
}

export interface InvitationPageView extends PageView {
  readonly name: string;
  readonly domain: string;
  readonly link: string;
  /** SVG of the link. */
  readonly qr: string;
  readonly expiresAt: string;
  readonly several: boolean;
  readonly back: string;
  /** What to send, with the link in it. */
  readonly message: string;
}

/** The page that shows a link, this once. */
export function invitationPage(rp: RelyingParty, invitation: Invitation, link: string) {
  const { username: name, minKeys } = invitation;
  const expiresAt = new Date(invitation.expiresAt).toISOString();
  return {
    title: `Invitation for ${visible(name)} · Users`,
    nav: { users: true },
    styles: ['/static/css/users.css'],
    scripts: ['/static/js/user.js'],
    ...{ name, domain: rp.domain, link, expiresAt },
    qr: qrCode(link),
    several: minKeys > 1,
    back: userAddress(name, rp.domain),
    message: messageOf(rp, invitation, link),
  } as const satisfies InvitationPageView;
}

function messageOf(rp: RelyingParty, { minKeys, expiresAt }: Invitation, link: string): string {
  const keys = minKeys > 1 ? `${minKeys} keys` : 'a key';
  const until = `${new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return (
    `With this link you set up ${keys} with which you sign in at ${rp.name}, without a password:\n\n` +
    `${link}\n\n` +
    `You will be asked for your user name. The link is yours alone: do not pass it on. ` +
    `It works until ${until}.`
  );
}
