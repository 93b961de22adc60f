import { connect } from 'node:net';

/**
 * Sends bytes as they are and collects what comes back until the server closes, for requests that
 * no HTTP client would write.
 */
export function sendRaw(url: string, ...chunks: readonly string[]): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (text) => (received += text));
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)));
    socket.on('close', () => resolve(received));
    for (const chunk of chunks) socket.write(chunk);
  });
}

/** Sends the beginning of a request and goes away. */
export function abandon(url: string, text: string): Promise<void> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.write(text, () => socket.destroy());
  });
}

/** The head of a POST with these lines; the server closes after its answer. */
export const postHead = (path: string, ...lines: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines, '', ''].join('\r\n');

/** The status of the first answer; 0 when there was none. */
export const statusOf = (answer: string): number =>
  Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
