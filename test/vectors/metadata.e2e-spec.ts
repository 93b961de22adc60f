import { adminClient } from '../support/client.js';
import { TestServer } from '../support/test-server.js';
import { filesIn, reportMissing, vectorPath, vectorsAvailable } from './vectors.js';

/** The root of the collection's example, whose BLOB nobody else signed. */
const EXAMPLE_ROOTS = vectorPath('mds');

const blobs = filesIn('mds').filter((name) => name.endsWith('.jwt'));

if (!vectorsAvailable()) {
  it('reports that the metadata of the collection is missing', () =>
    reportMissing('metadata of the collection'));
}

if (blobs.length > 0) {
  it('accepts every metadata BLOB of the collection at the same time', async () => {
    const mds = blobs.map((name) => vectorPath('mds', name));
    const server = await TestServer.start({ options: { mds, mdsRoots: EXAMPLE_ROOTS } });
    const { body } = await adminClient(server.url).get('/userapi/mds');
    const sources = body['sources'] as { no: number | null; entries: number; error: string }[];
    expect(sources.map(({ error }) => error)).toEqual(blobs.map(() => ''));
    expect(sources.map(({ no }) => no)).toEqual(
      blobs.map((name) => Number(/-no(\d+)-/.exec(name)?.[1])),
    );
    expect(sources.every(({ entries }) => entries > 0)).toBe(true);
    await server.stop();
  });
}
