import type { User } from '../user.entity.js';

/** Who can suspend a user. Each side ends only its own suspension. */
export const SIDES = { helpDesk: 1, directory: 2 } as const;

export type SuspendingSide = keyof typeof SIDES;

export const SIDE_NAMES = Object.keys(SIDES) as readonly SuspendingSide[];

/** Why the help desk suspends a user, as stored in the user's row. */
export interface HelpDeskSuspension {
  /** Absent for a suspension that was imported. */
  readonly account?: string | undefined;
  readonly reason?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

type SuspensionColumns = Readonly<Pick<User, 'suspendedBy' | 'suspensionJson'>>;

/** The sides that suspend a user; empty if the user is not suspended. */
export const suspendingSides = ({
  suspendedBy,
}: Pick<SuspensionColumns, 'suspendedBy'>): SuspendingSide[] =>
  SIDE_NAMES.filter((side) => ((suspendedBy ?? 0) & SIDES[side]) !== 0);

export const isSuspendedBy = (
  { suspendedBy }: Pick<SuspensionColumns, 'suspendedBy'>,
  side: SuspendingSide,
): boolean => suspendingSides({ suspendedBy }).includes(side);

export const helpDeskSuspensionOf = ({
  suspensionJson,
}: Pick<SuspensionColumns, 'suspensionJson'>): HelpDeskSuspension | undefined =>
  suspensionJson === null ? undefined : (JSON.parse(suspensionJson) as HelpDeskSuspension);
