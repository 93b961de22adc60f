/** In this order: most browsers also claim to be those below them. */
const BROWSERS: readonly (readonly [name: string, version: RegExp])[] = [
  ['Edge', /Edg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /OPR\/(\d+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /(?:Chrome|Chromium|CriOS)\/(\d+)/],
  ['Safari', /Version\/(\d+)[^ ]* (?:Mobile\/\w+ )?Safari\//],
];

const SYSTEMS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['macOS', /Macintosh/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux|X11/],
];

/** What people call a browser and its system: `Firefox 140 on Linux`, as far as `User-Agent` tells. */
export function browserName(program: string): string {
  const found = BROWSERS.map(([name, version]) => [name, version.exec(program)?.[1]] as const);
  const [name, version] = found.find(([, number]) => number !== undefined) ?? [];
  const [system] = SYSTEMS.find(([, mark]) => mark.test(program)) ?? [];
  const browser = name === undefined ? 'A browser' : `${name} ${version}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
