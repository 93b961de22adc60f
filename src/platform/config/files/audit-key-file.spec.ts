import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { OptionMistakes, collectMistakes } from '../option-types.js';
import { isOpenToOthers, readAuditKey } from './key-files.js';

describe('the file of --audit-key-file', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    path = join(directory, 'audit.key');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function read(content: string | Buffer) {
    writeFileSync(path, content);
    const mistakes: string[] = [];
    const key = collectMistakes(mistakes, () => readAuditKey({ auditKeyFile: path }));
    return key ?? mistakes.map((mistake) => mistake.replace(path, 'FILE'));
  }

  it('reads no audit key without the option', () => {
    expect(readAuditKey({ auditKeyFile: undefined })).toBeUndefined();
  });

  it('reads an audit key of any bytes, up to a final line break', () => {
    const text = 'A'.repeat(43);
    for (const end of ['', '\n', '\r\n']) expect(read(text + end)).toEqual(Buffer.from(text));
    const bytes = Buffer.alloc(40, 0xff);
    expect(read(bytes)).toEqual(bytes);
  });

  it('keeps all of 32 random bytes of an audit key, even if the last one is a line break', () => {
    const bytes = Buffer.alloc(32, 0x0a);
    expect(read(bytes)).toEqual(bytes);
  });

  it('refuses an audit key file that is short or missing', () => {
    const sentence = '--audit-key-file: FILE must hold at least 32 bytes';
    expect(read('x'.repeat(31))).toEqual([sentence]);
    expect(read('')).toEqual([sentence]);
    const absent = join(directory, 'absent.key');
    expect(() => readAuditKey({ auditKeyFile: absent })).toThrow(
      new OptionMistakes([`--audit-key-file: ${absent} cannot be read`]),
    );
  });

  it('reports an audit key file that others than its owner may read or write', () => {
    read('A'.repeat(43));
    const modes = [0o600, 0o400, 0o640, 0o604, 0o644, 0o620];
    const open = modes.filter((mode) => {
      chmodSync(path, mode);
      return isOpenToOthers(path);
    });
    expect(open).toEqual([0o640, 0o604, 0o644, 0o620]);
  });

  it('accepts that the server’s group may read another user’s audit key file', () => {
    read('A'.repeat(43));
    const another = (process.getuid?.() ?? 0) + 1;
    const user = jest.spyOn(process, 'getuid').mockReturnValue(another);
    const modes = [0o600, 0o440, 0o640, 0o644, 0o660];
    const open = modes.filter((mode) => {
      chmodSync(path, mode);
      return isOpenToOthers(path);
    });
    user.mockRestore();
    expect(open).toEqual([0o644, 0o660]);
  });
});
