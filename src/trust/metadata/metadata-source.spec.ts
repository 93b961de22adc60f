import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { DocumentError } from '../../platform/common/network/documents.js';
import { fetchBlob, metadataSource, sourceFailureText } from './metadata-source.js';

const NOBODY = 'nobody';

describe('a source of metadata on the web', () => {
  let servers: Server[] = [];
  /** Two servers with the same answers. */
  let hosts: string[] = [];
  beforeAll(async () => {
    servers = [1, 2].map(() =>
      createServer(({ url = '', headers }, response) => {
        const { authorization = NOBODY } = headers;
        if (url === '/blob') return response.end(authorization);
        const to =
          url === '/here' ? `http://${hosts[0]}/blob` : `http://other:user@${hosts[1]}/blob`;
        return response.writeHead(302, { location: to }).end();
      }),
    );
    for (const server of servers)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    hosts = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterAll(() => servers.forEach((server) => server.close()));

  const fetched = async (path: string, user = '') => {
    const source = metadataSource(`http://${user}${hosts[0]}${path}`);
    const blob = await fetchBlob(source, '', new AbortController().signal);
    return blob?.jwt.toString();
  };

  it('receives the user name and the password of its address as Basic authentication', async () => {
    const basic = `Basic ${Buffer.from('mds:p@ss:word').toString('base64')}`;
    expect(await fetched('/blob', 'mds:p%40ss:word@')).toBe(basic);
    expect(await fetched('/here', 'mds:p%40ss:word@')).toBe(basic);
    expect(await fetched('/blob')).toBe(NOBODY);
  });

  it('redirects elsewhere without the password of its address', async () => {
    expect(await fetched('/there', 'mds:password@')).toBe(NOBODY);
  });

  it('names no password in the reason of a failure', async () => {
    const failure = fetched('/blob', 'mds:pass%word@').catch(sourceFailureText);
    expect(await failure).toBe('The source could not be read (URIError).');
  });
});

describe('the reason why a source could not be read', () => {
  const coded = Object.assign(new Error('no https://mds:password@host/'), { code: 'ENOTFOUND' });

  it.each([
    [new DocumentError('The source redirects.'), 'The source redirects.'],
    [coded, 'The source could not be read (ENOTFOUND).'],
    [new TypeError('fetch failed', { cause: coded }), 'The source could not be read (ENOTFOUND).'],
    [AbortSignal.abort().reason, 'The source could not be read (AbortError).'],
    [new TypeError('no https://mds:password@host/'), 'The source could not be read (TypeError).'],
    ['no https://mds:password@host/', 'The source could not be read.'],
  ])('is a sentence of this server, or names only the kind of error: %s', (error, sentence) => {
    expect(sourceFailureText(error)).toBe(sentence);
  });
});
