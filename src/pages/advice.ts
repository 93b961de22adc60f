const TRY_LATER = 'Try again in a moment. If it does not pass, tell your administrator.';
/** By the error's code where it tells more than the status does. */
const ADVICE: Readonly<Record<string | number, string>> = {
  E0046R: 'Whoever runs the server can switch it on when starting it.',
  401: 'Reload this page and enter the name and password of an administrator.',
  403: 'Ask an administrator for the right to do this.',
  404: 'Check the address, or start from the dashboard.',
  405: 'The address exists, but not for this kind of request. Start from the dashboard.',
  429: 'Wait a little, then try again.',
};

/** What to do about an error: its page says it below the error's sentence. */
export function advice(status: number, code?: string): string {
  const known = (code && ADVICE[code]) || ADVICE[status];
  return known ?? (status < 500 ? 'Check what was sent, then try again.' : TRY_LATER);
}
