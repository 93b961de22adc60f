/** Exit code 0 when the server in this container reports that it is ready. */
const { SERVICEFIDO_PORT: port, SERVICEFIDO_TLS_CERT: ownTls } = process.env;

// The certificate is for the public name, not for the loopback address used here.
if (ownTls) process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';

try {
  const signal = AbortSignal.timeout(4000);
  const url = `${ownTls ? 'https' : 'http'}://127.0.0.1:${port}/health/ready`;
  process.exitCode = (await fetch(url, { signal })).ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
