import type { Request } from 'express';

/** Whether somebody opens a page: by `Sec-Fetch-Mode`, where the browser sends it, and by `Accept`. */
export const isNavigation = (request: Request): boolean => {
  const mode = request.headers['sec-fetch-mode'];
  return (mode === undefined || mode === 'navigate') && request.accepts('json', 'html') === 'html';
};

/**
 * Whether a browser sent this, as far as can be told. To an address that it trusts (HTTPS, the own machine) a
 * browser sends `Sec-Fetch-Site`; elsewhere only its user agent is left, and that it wants a page. PowerShell
 * and WinHttp have user agents that begin like those of browsers, and contain their own names.
 */
export function isBrowser(request: Request): boolean {
  if (request.headers['sec-fetch-site'] !== undefined) return true;
  const program = request.headers['user-agent'] ?? '';
  if (!program.startsWith('Mozilla/') || /PowerShell|WinHttp/i.test(program)) return false;
  return isNavigation(request);
}
