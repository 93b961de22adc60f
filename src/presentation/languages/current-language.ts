import type { Request } from 'express';
import { languages } from './languages.js';
import type { Language } from './languages.js';

const CHOSEN = /(?:^|;\s*)servicefido-language=([a-z]+)/;

/** The language that the reader chose by the switch, else what the browser asks for (RFC 9110 §12.5.4). */
export function languageOf(request: Request): Language {
  const chosen = CHOSEN.exec(request.headers.cookie ?? '')?.[1];
  const known = languages.find((language) => language === chosen);
  const asked = request.acceptsLanguages([...languages]);
  return known ?? ((asked === false ? 'en' : asked) as Language);
}

/** The language of a page; tells caches on which headers it depends. */
export function languageFor(request: Request): Language {
  request.res?.vary('Accept-Language').vary('Cookie');
  return languageOf(request);
}
