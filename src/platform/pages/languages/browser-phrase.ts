import { browserIn, systemIn } from '../../common/browser-name.js';
import { phrase, type Phrase } from './phrase.js';

/** The usual name of a browser and its system: `Firefox 140 on Linux`, as far as `User-Agent` reports. */
export function browserPhrase(program: string): Phrase {
  const found = browserIn(program);
  const system = systemIn(program);
  if (found) return named(`${found.name} ${found.version}`, system);
  return system === undefined
    ? phrase('layout:browser.unknown')
    : phrase('layout:browser.unknownOn', { system });
}

/** The same for a browser that is stored in an event: `Firefox on Linux`. */
export function keptBrowserPhrase(stored: string): Phrase {
  const [browser = stored, system] = stored.split(' on ');
  return named(browser, system);
}

const named = (browser: string, system: string | undefined): Phrase =>
  system === undefined
    ? phrase('layout:browser.name', { browser })
    : phrase('layout:browser.on', { browser, system });
