import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OptionMistakes } from '../platform/config/option-types.js';
import { isObject } from '../platform/validation/field-validator.js';
import { certificatesOfPem } from '../platform/validation/values/pem.js';
import { readMetadataBlob } from '../webauthn/metadata/blob.js';
import { MetadataIndex } from '../webauthn/metadata/metadata-index.js';
import type { Runs } from './commands.js';
import { evaluateCeremony } from './verify/evaluate.js';
import type { Verdict } from './verify/verdict.js';

const STANDARD_INPUT = '-';
const STANDARD_INPUT_FD = 0;
const BYTE_ORDER_MARK = /^\uFEFF/;

export const verifyCommand: Runs<'verify'> = {
  /**
   * Verifies recorded ceremonies as the server would have at their time, and prints one JSON line for
   * each; `docs/verify.md` describes their formats. No part of the server is started, and nothing is
   * fetched.
   *
   * @throws OptionMistakes with a line for each file that cannot be read, before anything is verified
   */
  verify: async ({ options, file: files, transaction: text, roots = [], secondOpinion }) => {
    const mistakes: string[] = [];
    const attempt = <T>(file: string, read: () => readonly T[]): readonly T[] => {
      try {
        return read();
      } catch (error) {
        mistakes.push(
          `${file}: ${error instanceof Error ? firstLine(error.message) : 'unreadable'}`,
        );
        return [];
      }
    };
    const withText = (value: unknown) =>
      text === undefined || !isObject(value) ? value : { ...value, transaction: { text } };
    const ceremonies = files.map((file) => attempt(file, () => readCeremonies(file).map(withText)));
    const anchors = roots.flatMap((path) => attempt(path, () => certificatesUnder(path)));
    const policy = { roots: anchors, at: new Date(), isArchived: true };
    const entries = options.mds.flatMap((file) =>
      attempt(file, () => readMetadataBlob(readFileSync(file), policy).entries),
    );
    if (mistakes.length > 0) throw new OptionMistakes(mistakes);
    const trust = { anchors, metadata: new MetadataIndex(entries) };
    const complete = secondOpinion ? await comparing() : asItIs;
    for (const value of ceremonies.flat()) {
      process.stdout.write(
        `${JSON.stringify(await complete(evaluateCeremony(value, trust), value))}\n`,
      );
    }
  },
};

const asItIs = (verdict: Verdict): Verdict => verdict;

/** Also runs `@simplewebauthn/server`, and adds its verdict if it differs. */
async function comparing() {
  const { isolateLibrary, secondOpinion } = await import('./verify/second-opinion.js');
  isolateLibrary();
  return async (verdict: Verdict, ceremony: unknown): Promise<Verdict> => {
    const theirs = await secondOpinion(ceremony);
    const isSame = verdict.ok === (theirs === 'valid');
    return { ...verdict, secondOpinion: isSame ? null : theirs };
  };
}

function readCeremonies(file: string): readonly unknown[] {
  const text = readFileSync(file === STANDARD_INPUT ? STANDARD_INPUT_FD : file, 'utf8');
  const json: unknown = JSON.parse(text.replace(BYTE_ORDER_MARK, ''));
  return Array.isArray(json) ? json : [receiptIn(json) ?? json];
}

/** The receipt in an answer of `/userapi/receipts/ID`, which may be given unchanged. */
const receiptIn = (json: unknown): unknown => (isObject(json) ? json['receipt'] : undefined);

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** The first bytes of a certificate in DER: a SEQUENCE whose length takes two octets. */
const DER_START = 0x3082;

/**
 * Reads all certificates in the files of a directory tree, or in one file: DER, or PEM with any number
 * of them. Other content of the files is ignored.
 *
 * @returns DER
 * @throws if the path or a certificate in PEM cannot be read
 */
function certificatesUnder(path: string): Buffer[] {
  if (!statSync(path).isDirectory()) return certificatesIn(path);
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile())
    .flatMap(certificatesIn);
}

function certificatesIn(file: string): Buffer[] {
  const content = readFileSync(file);
  const isDer = content.length > 1 && content.readUInt16BE() === DER_START;
  try {
    return isDer
      ? [new X509Certificate(content).raw]
      : certificatesOfPem(content.toString('latin1'));
  } catch (error) {
    if (isDer) return [];
    throw new Error(`${file} contains a certificate in PEM that cannot be read.`, { cause: error });
  }
}
