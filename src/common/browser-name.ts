/** In this order: most browsers also claim to be those below them. */
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

/** The longest of honest browsers has less; what is longer would take the longer to look through. */
const MOST_CHARACTERS = 400;

/**
 * What people call a browser and its system, without a version, which would tell them apart: `Firefox on
 * Linux`; `null` for what is none.
 */
export function browserAndSystem(program: string): string | null {
  const [{ name } = {}, system] = [browserIn(program), systemIn(program)];
  if (name === undefined) return null;
  return system === undefined ? name : `${name} on ${system}`;
}

/** Which browser it is, and which version of it; `undefined` for what is none. */
export function browserIn(program: string): { name: Browser; version: string } | undefined {
  if (program.length > MOST_CHARACTERS) return undefined;
  for (const [name, mark] of BROWSERS) {
    const version = mark.exec(program)?.[1];
    if (version !== undefined) return { name, version };
  }
  return undefined;
}

/** On what it runs; `undefined` where it does not tell. */
export const systemIn = (program: string): string | undefined =>
  SYSTEMS.find(([, mark]) => mark.test(program))?.[0];
