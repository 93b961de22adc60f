import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { listen } from './listen.js';

export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly archive: Buffer;
}

export const integrityOf = (archive: Buffer): string =>
  `sha512-${createHash('sha512').update(archive).digest('base64')}`;

/** An npm registry with a few packages. */
export class NpmRegistry {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async serve(packages: readonly PublishedPackage[]): Promise<NpmRegistry> {
    const server = createServer((request, response) => {
      const [, name = '', isArchive] = request.url?.split('/') ?? [];
      const found = packages.find((one) => one.name === decodeURIComponent(name));
      if (!found) response.writeHead(404).end();
      else if (isArchive) response.end(found.archive);
      else response.end(JSON.stringify(manifest(found, `http://${request.headers.host}`)));
    });
    return new NpmRegistry(server, `http://127.0.0.1:${await listen(server)}/`);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

function manifest({ name, version, archive }: PublishedPackage, url: string): object {
  const dist = { tarball: `${url}/${name}/${version}.tgz`, integrity: integrityOf(archive) };
  return {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, dist } },
  };
}
