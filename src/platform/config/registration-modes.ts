/** Who may begin a registration, from lenient to strict. */
export const REGISTRATION_MODES = ['open', 'first-only', 'ticket'] as const;
export type RegistrationMode = (typeof REGISTRATION_MODES)[number];

/** The stricter of two modes. */
export const stricterMode = (one: RegistrationMode, other: RegistrationMode): RegistrationMode =>
  REGISTRATION_MODES.indexOf(one) < REGISTRATION_MODES.indexOf(other) ? other : one;
