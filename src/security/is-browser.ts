import type { Request } from 'express';

/** Whether somebody opens a page: with what a browser says, or as far as `Accept` tells. */
export const isNavigation = (request: Request): boolean => {
  const mode = request.headers['sec-fetch-mode'];
  return (mode === undefined || mode === 'navigate') && request.accepts('json', 'html') === 'html';
};

/**
 * Whether a browser sent this, as far as it tells. To an address that it trusts (HTTPS, the own machine) it
 * says `Sec-Fetch-Site`; elsewhere all that is left is its name, and that it wants a page. PowerShell and
 * WinHttp, which begin theirs as browsers do, add their own.
 */
export function isBrowser(request: Request): boolean {
  if (request.headers['sec-fetch-site'] !== undefined) return true;
  const program = request.headers['user-agent'] ?? '';
  if (!program.startsWith('Mozilla/') || /PowerShell|WinHttp/i.test(program)) return false;
  return isNavigation(request);
}
