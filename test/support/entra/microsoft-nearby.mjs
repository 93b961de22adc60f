/** Preloaded into a server (`--import`): connections to Microsoft's host lead to the port MICROSOFT_PORT of this machine. */
import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';

const { connect } = tls;

tls.connect = (options, ...others) => {
  const nearby = { host: '127.0.0.1', port: Number(process.env['MICROSOFT_PORT']) };
  const isTheirs = options.host === 'login.microsoftonline.com';
  return connect(isTheirs ? { ...options, ...nearby, lookup: undefined } : options, ...others);
};
syncBuiltinESMExports();
