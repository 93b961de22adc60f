import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { readRevokedSerials } from '../../webauthn/attestation/revoked-keys.js';
import { messageOfError } from '../errors/driver-errors.js';
import { certificatesAt } from '../validation/values/pem.js';
import { isStatementDirectory, readStatementFiles } from './files/statement-files.js';
import { OptionMistake, databaseCa } from './option-types.js';

/** Words in `--crls` that allow fetching lists, from public addresses only or from any. */
export const FETCH_WORDS = { public: 'fetch', any: 'fetch-anywhere' } as const;

const WEB = /^https?:\/\//i;
const UPLOAD = 'upload';

/** Throws an `OptionMistake` if the server cannot start with an option's value; changes nothing. */
export type StartCheck = (value: string) => void;

/** A file with the certificate of the server, and optionally its issuing certificates. */
export const certificate: StartCheck = (path) => {
  const cert = contentOf(path);
  attempt(() => createSecureContext({ cert }), `${path} is not a certificate in PEM`);
};

export const privateKey: StartCheck = (path) => {
  const key = contentOf(path);
  const kind = key.includes('ENCRYPTED') ? 'private key without a password' : 'private key';
  attempt(() => createSecureContext({ key }), `${path} is not a ${kind} in PEM`);
};

/** A web address, a file that can be read, `upload`, or a directory of metadata statements. */
export const metadataPlace: StartCheck = (place) => {
  if (isStatementDirectory(place)) checkFile(place, readStatementFiles);
  else if (place !== UPLOAD) fileOrAddress(place);
};

const fileOrAddress: StartCheck = (place) => {
  if (!WEB.test(place)) contentOf(place);
  else if (!URL.canParse(place)) throw new OptionMistake('is not a web address');
  // Decodes them.
  else attempt(() => urlToHttpOptions(new URL(place)), 'needs %25 for a % in its password');
};

/** A web address, or a file with Google's list of revoked phone keys. */
export const phoneList: StartCheck = (place) => {
  fileOrAddress(place);
  if (WEB.test(place)) return;
  try {
    readRevokedSerials(contentOf(place).toString());
  } catch (error) {
    throw new OptionMistake(`${place}: ${messageOfError(error)}`);
  }
};

/** A file or directory, or a word that allows fetching; the files are read before the server starts. */
export const listPlace: StartCheck = (place) => {
  if (Object.values<string>(FETCH_WORDS).includes(place)) return;
  readable(place);
};

export const trustedRoots: StartCheck = (path) => checkFile(path, certificatesAt);

export const directory: StartCheck = (path) => {
  let existing = resolve(path);
  while (!existsSync(existing)) existing = dirname(existing);
  if (!statSync(existing).isDirectory()) throw new OptionMistake(`${existing} is not a directory`);
  const writable = constants.W_OK | constants.X_OK;
  attempt(() => accessSync(existing, writable), `${existing} cannot be written`);
};

/**
 * For SQLite, a file that exists or can be created; other databases are checked by connecting, except for the file of
 * `?ssl=`.
 */
export const databasePlace: StartCheck = (url) => {
  const ca = databaseCa(url);
  if (ca !== undefined && ca !== 'on') certificate(ca);
  const [, file] = /^sqlite:(?!:memory:$)(.*)$/.exec(url) ?? [];
  if (file === undefined) return;
  directory(dirname(file));
  if (!existsSync(file)) return;
  if (!statSync(file).isFile()) throw new OptionMistake(`${file} is not a file`);
  attempt(() => accessSync(file, constants.R_OK | constants.W_OK), `${file} cannot be written`);
};

/** Checks that the key belongs to the certificate; each was checked alone before. */
export function keyPair(certificatePath: string, keyPath: string): void {
  const cert = contentOf(certificatePath);
  const key = contentOf(keyPath);
  const sentence = `${keyPath} is not the key of the certificate in ${certificatePath}`;
  attempt(() => createSecureContext({ cert, key }), sentence);
}

function contentOf(path: string): Buffer {
  return attempt(() => readFileSync(path), `${path} cannot be read`);
}

function attempt<T>(read: () => T, sentence: string): T {
  try {
    return read();
  } catch {
    throw new OptionMistake(sentence);
  }
}

const readable = (path: string): void =>
  attempt(() => accessSync(path, constants.R_OK), `${path} cannot be read`);

/** Reads a file, and turns an error of its reader into an `OptionMistake` with its sentence. */
export function checkFile(path: string, read: (path: string) => unknown): void {
  readable(path);
  try {
    read(path);
  } catch (error) {
    throw new OptionMistake(messageOfError(error));
  }
}
