import type { ServerOptions } from '../platform/config/server-config.js';
import type { Door } from './clients/oidc-client.entity.js';

type IssuerOption = Pick<ServerOptions, 'issuer'>;

/** The origin of `--issuer`, where the sign-in pages are. The doors need this option, and it has no path then. */
export const originOf = ({ issuer = '' }: IssuerOption): string => new URL(issuer).origin;

/** The issuer of a relying party at a door, from which its clients discover everything else. */
export const issuerAddress = (options: IssuerOption, door: Door, domain: string): string =>
  `${originOf(options)}/${door}/${domain}`;
