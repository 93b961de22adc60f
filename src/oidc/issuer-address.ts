import type { ServerOptions } from '../platform/config/server-config.js';

type IssuerOption = Pick<ServerOptions, 'issuer'>;

/** The origin of `--issuer`, where the sign-in page is. The option `--oidc` needs it, and it has no path then. */
export const originOf = ({ issuer = '' }: IssuerOption): string => new URL(issuer).origin;

/** The issuer of a relying party, from which clients discover everything else. */
export const issuerAddress = (options: IssuerOption, domain: string): string =>
  `${originOf(options)}/oidc/${domain}`;
