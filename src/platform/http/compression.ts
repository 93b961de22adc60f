import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';
import { projectPath } from '../project.js';

const BROTLI_FOLDER = projectPath('dist/brotli');

/** Text that pages load, and that is the same for every reader. */
const PUBLIC_FILE = /^(?:text\/css|text\/javascript|image\/svg\+xml)\b/;
const HTML = /^text\/html\b/;

/**
 * Whether to compress an answer. Pages contain secrets, such as the token of their forms and names of users, beside
 * text of the request. From the length of the compressed page, a foreign site could guess them letter by letter if it
 * made the reader's browser ask for the page again and again (BREACH). So only a page that our own pages or the reader
 * asked for is compressed (`Sec-Fetch-Site: same-origin` or `none`). Tokens that differ in each answer would protect
 * only the tokens, and instances of 1.0 would refuse them. Answers for programs are never compressed.
 */
function isCompressible({ headers }: Request, response: Response): boolean {
  const type = String(response.getHeader('Content-Type'));
  if (PUBLIC_FILE.test(type)) return true;
  const site = headers['sec-fetch-site'];
  return HTML.test(type) && (site === 'same-origin' || site === 'none');
}

/** Compresses pages and the files that they load, if the browser accepts it (RFC 9110 §12.5.3). */
export const compressed: RequestHandler = compression({ filter: isCompressible });

/**
 * Answers with the Brotli that the build made of a file; other middleware answers without it. Its `ETag` differs from
 * that of the file itself (RFC 9110 §8.8.3.3).
 *
 * @param directory the folder of the files
 * @param maxAge for `Cache-Control`
 */
export function brotliFiles(directory: string, maxAge: string): RequestHandler {
  return (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const path = join(directory, request.path);
    const isInside = path.startsWith(join(directory, sep));
    if (!isRead || !isInside || request.acceptsEncodings('br') === false) return next();
    brotliOf(path).then((file) => {
      if (file === undefined) return next();
      response.vary('Accept-Encoding').type(extname(path));
      response.set({ 'Content-Encoding': 'br', ETag: `"${file}"` });
      const options = { root: BROTLI_FOLDER, maxAge, lastModified: false, acceptRanges: false };
      response.sendFile(file, options, (error?: Error) => error && next(error));
    }, next);
  };
}

/** The name of the Brotli of each version of a file, by its path, time and size; `undefined` if the build made none. */
const known = new Map<string, string | undefined>();

async function brotliOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  const version = `${path} ${found.mtimeMs} ${found.size}`;
  if (!known.has(version)) {
    const file = `${hash('sha256', await readFile(path))}.br`;
    known.set(version, existsSync(join(BROTLI_FOLDER, file)) ? file : undefined);
  }
  return known.get(version);
}
