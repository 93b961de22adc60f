import encodeQR from 'qr';
import { invitationStateOf } from '../../invitations/invitation-state.js';
import type { Invitation } from '../../invitations/invitation.entity.js';
import type { Problem } from '../../platform/errors/reasons.js';
import {
  momentInZone,
  plainText,
  type Language,
} from '../../platform/pages/languages/languages.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { USERS_PAGE, userAddress } from './page-frame.js';

const QR_MARGIN = 4;

export function invitationEntry(invitation: Invitation, now: number) {
  const state = invitationStateOf(invitation, now);
  return {
    id: invitation.id.toString('base64url'),
    open: state === 'open',
    says: phrase(`users:invitations.states.${state}`),
    /** The number of keys that were registered with it, and the number that it requests. */
    made: invitation.keysMade,
    of: invitation.minKeys,
    issuedBy: invitation.issuedBy,
    issuedAt: new Date(invitation.issuedAt).toISOString(),
    expiresAt: new Date(invitation.expiresAt).toISOString(),
  };
}

/** The number of open links of a user, and when the last of them expires; `undefined` if there are none. */
export function openInvitations(invitations: readonly Invitation[], now: number) {
  const open = invitations.filter((one) => invitationStateOf(one, now) === 'open');
  if (open.length === 0) return undefined;
  const last = Math.max(...open.map(({ expiresAt }) => expiresAt));
  return { count: open.length, until: new Date(last).toISOString() };
}

interface InvitationMessage {
  readonly link: string;
  readonly language: Language;
  readonly zone: string | undefined;
  /** Why the link does not work yet. */
  readonly warning: Problem | undefined;
}

/** The page that shows a link; no other page shows it again. */
export function invitationPage(
  rp: RelyingParty,
  invitation: Invitation,
  { link, language, zone, warning }: InvitationMessage,
) {
  const { username: name, minKeys } = invitation;
  const service = rp.name;
  const until = momentInZone(language, invitation.expiresAt, zone);
  const text = phrase('users:invitation.text', { count: minKeys, service, link, until });
  const message = plainText(language, text);
  const subject = plainText(language, phrase('users:invitation.subject', { service }));
  const expiresAt = new Date(invitation.expiresAt).toISOString();
  return {
    title: phrase('users:invitation.title', { name }),
    ...USERS_PAGE,
    name,
    domain: rp.domain,
    link,
    expiresAt,
    warning,
    /** A `data:` URL of an SVG. */
    qr: qrCode(link),
    several: minKeys > 1,
    back: userAddress(name, rp.domain),
    again: userAddress(name, rp.domain),
    /** The message to the user, with the link in it. */
    message,
    messageLanguage: language,
    mail: mailAddress(name, subject, message),
  };
}

/** One e-mail address, without the characters that separate several (RFC 6068). */
const MAIL_ADDRESS = /^[^\s@,;:<>()[\]"]+@[^\s@,;:<>()[\]"]+$/;

/** An address that begins a mail, to the user if the name is a mail address. */
function mailAddress(name: string, subject: string, message: string): string {
  const [to] = MAIL_ADDRESS.exec(name) ?? [''];
  const body = message.replaceAll('\n', '\r\n');
  const parts = Object.entries({ subject, body }).map(
    ([field, value]) => `${field}=${encodeURIComponent(value)}`,
  );
  return `mailto:${encodeURIComponent(to).replace('%40', '@')}?${parts.join('&')}`;
}

/**
 * Returns a link as a QR code: the address of a scalable image (SVG), with the margin that scanners
 * need (ISO/IEC 18004 §9.1).
 */
function qrCode(link: string): string {
  const svg = encodeQR(link, 'svg', { ecc: 'medium', border: QR_MARGIN });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
