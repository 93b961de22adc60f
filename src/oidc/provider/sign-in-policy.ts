import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';

const { Check, base } = interactionPolicy;

/** The error for a client that allows no prompt. */
const REQUIRED = 'login_required';

/** The classes that each class satisfies (OpenID Connect EAP ACR Values 1.0). */
const SATISFIES: Readonly<Record<string, readonly string[]>> = {
  phr: ['phr'],
  phrh: ['phr', 'phrh'],
};

/** Whether a sign-in of this class meets one of the requested ones. */
const meetsAcr = (acr: string | undefined, requested: readonly string[]): boolean =>
  requested.some((one) => SATISFIES[acr ?? '']?.includes(one));

/** The classes that a client requests in `acr_values`; empty for any. */
export const requestedAcrs = ({
  acr_values: values,
}: Readonly<Record<string, unknown>>): string[] =>
  typeof values === 'string'
    ? values.split(' ').filter((one) => Object.hasOwn(SATISFIES, one))
    : [];

/**
 * When users must sign in. `acr_values` is voluntary (OpenID Connect Core 1.0 §3.1.2.1): a session of a lower class
 * makes the user sign in again, and after that the client gets what the key reached. Nobody is asked for a consent: the
 * operator of the relying party chose its clients.
 */
export function signInPolicy() {
  const policy = base();
  const checks = [
    new Check('acr_values', 'the session does not meet the requested acr', REQUIRED, needsAcr),
    new Check('no_account', 'the user is gone', REQUIRED, refuseGoneUser),
  ];
  for (const check of checks) policy.get('login')?.checks.add(check);
  // Without the prompt itself, `prompt=consent` would be an error.
  policy.get('consent')?.checks.clear();
  return policy;
}

function needsAcr({ oidc }: KoaContextWithOIDC): boolean {
  const requested = requestedAcrs(oidc.params ?? {});
  const isNew = oidc.result?.login !== undefined;
  const isMet = requested.length === 0 || meetsAcr(oidc.session?.acr, requested);
  return isMet || isNew ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT;
}

/**
 * The user may be deleted or locked out between the sign-in and the browser's way back.
 *
 * @throws errors.AccessDenied, which the client gets
 */
function refuseGoneUser({ oidc }: KoaContextWithOIDC): boolean {
  if (oidc.session?.accountId !== undefined && !oidc.account) {
    throw new errors.AccessDenied('the user can no longer sign in');
  }
  return Check.NO_NEED_TO_PROMPT;
}
