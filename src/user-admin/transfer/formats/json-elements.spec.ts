import { jsonElements, type WantedMembers } from './json-elements.js';

/** A document that arrives in pieces of `size` bytes. */
async function* inPieces(document: string, size: number) {
  const bytes = Buffer.from(document);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(document: string, wanted: WantedMembers, size = document.length) {
  const found: unknown[] = [];
  for await (const item of jsonElements(inPieces(document, size), wanted)) {
    found.push('fault' in item ? [item.line, item.fault.code] : [item.line, item.value]);
  }
  return found;
}

const TRICKY = [
  { text: '[{"a":1},]}', nested: { users: [{ id: 'no user' }] }, escaped: '\\" \\\\' },
  { empty: {}, list: [[], {}, '}'] },
  { 'ключ ❤️': 'ü' },
];

describe('the elements of a JSON array', () => {
  it.each([1, 2, 3, 7, 64, 10_000])(
    'reads the same elements as JSON.parse in chunks of %i bytes',
    async (size) => {
      const text = `\ufeff ${JSON.stringify(TRICKY, null, 1)}\n`;
      const found = await read(text, {}, size);
      expect(found.map((one) => (one as unknown[])[1])).toEqual(TRICKY);
    },
  );

  it.each([1, 5, 10_000])(
    'reads the elements in a member of an object, in chunks of %i bytes',
    async (size) => {
      const texts = new Map<string, string>();
      const document = {
        id: 'acme',
        count: 7,
        none: null,
        users_: [{ id: 'none' }],
        inner: { users: [{ id: 'none' }], id: 'not this' },
        users: TRICKY,
        last: 'end',
      };
      const wanted = {
        member: 'users',
        text: (name: string, value: string) => texts.set(name, value),
      };
      const found = await read(JSON.stringify(document), wanted as WantedMembers, size);
      expect(found.map((one) => (one as unknown[])[1])).toEqual(TRICKY);
      expect([...texts]).toEqual([
        ['id', 'acme'],
        ['last', 'end'],
      ]);
    },
  );

  it('gives each element the line where it begins, and refuses elements that are not objects', async () => {
    expect(await read('[\n{"a":1},\n\n 7,\n"x", {\n"b":2}\n]', {})).toEqual([
      [2, { a: 1 }],
      [4, 'E0045R'],
      [5, 'E0045R'],
      [5, { b: 2 }],
    ]);
  });

  it.each([
    ['that is incomplete', '[{"a":1}'],
    ['with another array behind it', '[][]'],
    ['that is an object', '{"a":[]}'],
    ['whose brackets do not match', '[{"a":1]]'],
    ['that nests too deeply', '['.repeat(1000)],
    ['that is empty', ''],
  ])('refuses a document %s (E0045R)', async (_, document) => {
    await expect(read(document, {})).rejects.toMatchObject({ code: 'E0045R' });
  });

  it('refuses an element that is larger than a record, without keeping it in memory (E0045R)', async () => {
    const large = `[{"a":"${'x'.repeat(3 * 1024 * 1024)}"},{"b":1}]`;
    expect(await read(large, {}, 65_536)).toEqual([
      [1, 'E0045R'],
      [1, { b: 1 }],
    ]);
  });
});
