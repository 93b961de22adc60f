/** The order matters, since most browsers also claim to be the ones below them. */
const BROWSERS = [
  ['Edge', /Edg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /OPR\/(\d+)/],
  ['Samsung Internet', /SamsungBrowser\/(\d+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /(?:Chrome|Chromium|CriOS)\/(\d+)/],
  ['Safari', /Version\/(\d+)[^ ]* (?:Mobile\/\w+ )?Safari\//],
] as const satisfies readonly (readonly [name: string, version: RegExp])[];

export type Browser = (typeof BROWSERS)[number][0];

const SYSTEMS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['macOS', /Macintosh/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux|X11/],
];

/** More than any real browser sends; longer texts are not searched, since that would take long. */
const MAX_CHARACTERS = 400;

/**
 * Names of a browser and its operating system, without versions, which could identify a user: `Firefox on
 * Linux`; `null` if the program is not a known browser.
 */
export function browserAndSystem(program: string): string | null {
  const browser = browserIn(program);
  if (browser === undefined) return null;
  const system = systemIn(program);
  return system === undefined ? browser.name : `${browser.name} on ${system}`;
}

/** Name and major version of a browser; `undefined` if the program is not a known browser. */
export function browserIn(program: string): { name: Browser; version: string } | undefined {
  if (program.length > MAX_CHARACTERS) return undefined;
  for (const [name, mark] of BROWSERS) {
    const version = mark.exec(program)?.[1];
    if (version !== undefined) return { name, version };
  }
  return undefined;
}

export const systemIn = (program: string): string | undefined =>
  SYSTEMS.find(([, mark]) => mark.test(program))?.[0];
