import type { Request } from 'express';
import { cookieIn } from '../../http/cookies.js';
import { languages, type Language } from './languages.js';

/** Written by the switch on each page (`views/public/js`). */
const COOKIE = 'servicefido-language';

/** The language that the reader chose by the switch, else the one that the browser prefers (RFC 9110 §12.5.4). */
function languageOf(request: Request): Language {
  const chosen = cookieIn(request, COOKIE);
  const known = languages.find((language) => language === chosen);
  const accepted = request.acceptsLanguages([...languages]);
  return known ?? (accepted === false ? 'en' : accepted);
}

/** The language of a page; adds the headers that it depends on to `Vary`, for caches. */
export function languageFor(request: Request): Language {
  request.res?.vary('Accept-Language').vary('Cookie');
  return languageOf(request);
}
