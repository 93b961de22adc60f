import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OptionMistakes, collectMistakes } from '../option-types.js';
import { readSecretKeys } from './key-files.js';

describe('the file of --secret-key-file', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    path = join(directory, 'secret.keys');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function read(content: string) {
    writeFileSync(path, content);
    const mistakes: string[] = [];
    const keys = collectMistakes(mistakes, () => readSecretKeys({ secretKeyFile: path }));
    return keys ?? mistakes.map((line) => line.replace(path, 'FILE'));
  }
  const one = Buffer.alloc(32, 0xfb);
  const two = Buffer.alloc(32, 0xef);

  it('reads no secret keys without the option', () => {
    expect(readSecretKeys({ secretKeyFile: undefined })).toEqual([]);
  });

  it('reads 32-byte secret keys in Base64 or Base64URL, in the order of the file', () => {
    const texts = `${one.toString('base64')}\r\n${two.toString('base64url')}\n`;
    expect(read(texts)).toEqual([one, two]);
  });

  it('ignores comments between the secret keys', () => {
    expect(read(`# since May\n${one.toString('base64')}\n\n# before\n`)).toEqual([one]);
  });

  it.each([
    ['', 'holds no key'],
    ['# none yet\n', 'holds no key'],
    ['correct horse battery staple\n', 'must hold 32 bytes in Base64 on each line'],
    [
      `${one.toString('base64')}${one.toString('base64')}`,
      'must hold 32 bytes in Base64 on each line',
    ],
    [
      `${one.toString('base64')}\n${one.toString('hex')}`,
      'must hold 32 bytes in Base64 on each line',
    ],
  ])('refuses a secret key file with the content %j', (content, sentence) => {
    expect(read(content)).toEqual([`--secret-key-file: FILE ${sentence}`]);
  });

  it('refuses a missing secret key file', () => {
    const absent = join(directory, 'absent.keys');
    expect(() => readSecretKeys({ secretKeyFile: absent })).toThrow(
      new OptionMistakes([`--secret-key-file: ${absent} cannot be read`]),
    );
  });
});
