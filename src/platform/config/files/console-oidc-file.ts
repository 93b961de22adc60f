import { createPrivateKey, hash, type KeyObject } from 'node:crypto';
import { isLoopback } from '../base-address.js';
import { OptionMistakes } from '../option-types.js';
import type { ServerOptions } from '../server-config.js';
import { YamlReader } from '../yaml-reader.js';
import { ROLES, type AccountRole } from './accounts-file.js';
import { readOptionFile, readYamlFile } from './option-file.js';

const FLAG = '--console-oidc';

/** What the members of a group may do. */
export interface GroupAccess {
  readonly group: string;
  readonly role: AccountRole;
  /** Names of tenants; every tenant if absent. */
  readonly tenants?: readonly string[] | undefined;
  /** Whether they need a second factor: at the provider, or a key of this console. */
  readonly secondFactor: boolean;
}

/** The OpenID provider of the console's accounts. */
export abstract class ConsoleOidc {
  /** The provider's name, for the button of the sign-in page. */
  abstract readonly name: string;
  abstract readonly issuer: string;
  /** Origin at which browsers open the console. */
  abstract readonly address: string;
  abstract readonly client: {
    readonly id: string;
    readonly secret?: string | undefined;
    readonly privateKey?: KeyObject | undefined;
    readonly keyId?: string | undefined;
  };
  abstract readonly scopes: readonly string[];
  abstract readonly claims: { readonly groups: string; readonly name: string };
  /** In order of precedence. */
  abstract readonly groups: readonly GroupAccess[];
  /** Values of the claims `acr` and `amr` that prove a second factor. */
  abstract readonly proofs: { readonly acr: readonly string[]; readonly amr: readonly string[] };
  /** Changes whenever the file does, other than its secrets. */
  abstract readonly version: string;
}

const MEMBERS = ['name', 'issuer', 'address', 'client', 'scopes', 'claims', 'groups', 'proofs'];

/**
 * Reads `--console-oidc FILE`; `undefined` without a file.
 *
 * @throws OptionMistakes with all mistakes of the file
 */
export function readConsoleOidc({
  consoleOidc,
}: Pick<ServerOptions, 'consoleOidc'>): ConsoleOidc | undefined {
  if (consoleOidc === undefined) return undefined;
  const reader = new ConsoleOidcReader();
  const settings = reader.settings(readYamlFile(FLAG, consoleOidc));
  const mistakes = reader.mistakes.map((mistake) => `${FLAG}: ${consoleOidc}: ${mistake}`);
  if (mistakes.length > 0) throw new OptionMistakes(mistakes);
  return settings;
}

class ConsoleOidcReader extends YamlReader {
  settings(content: unknown): ConsoleOidc {
    const fields = this.fields('the file', content, MEMBERS);
    const claims = this.fields('claims', fields['claims'] ?? {}, ['groups', 'name']);
    const proofs = this.fields('proofs', fields['proofs'] ?? {}, ['acr', 'amr']);
    const address = this.webAddress('address', fields['address']);
    this.check(
      address === '' || new URL(address).origin === address,
      'address',
      'must have no path, such as https://fido.example.com',
    );
    const facts = {
      name: this.text('name', fields['name']),
      issuer: this.webAddress('issuer', fields['issuer']),
      address,
      scopes: this.texts('scopes', fields['scopes'] ?? ['openid', 'profile', 'offline_access']),
      claims: {
        groups: this.text('claims.groups', claims['groups'] ?? 'groups'),
        name: this.text('claims.name', claims['name'] ?? 'preferred_username'),
      },
      groups: this.groups(fields['groups']),
      proofs: {
        acr: this.texts('proofs.acr', proofs['acr'] ?? []),
        amr: this.texts('proofs.amr', proofs['amr'] ?? []),
      },
    };
    this.check(facts.scopes.includes('openid'), 'scopes', 'must contain openid');
    const client = this.client(fields['client']);
    const version = hash('sha256', JSON.stringify([facts, client.id]), 'base64url');
    return { ...facts, client, version };
  }

  private client(content: unknown): ConsoleOidc['client'] {
    const names = ['id', 'secret', 'secretFile', 'privateKeyFile', 'keyId'];
    const { id, secret, secretFile, privateKeyFile, keyId } = this.fields('client', content, names);
    const given = [secret, secretFile, privateKeyFile].filter((one) => one !== undefined);
    this.check(
      given.length === 1,
      'client',
      'needs one of "secret", "secretFile" and "privateKeyFile"',
    );
    const secretPath = this.optionalText('client.secretFile', secretFile);
    const keyPath = this.optionalText('client.privateKeyFile', privateKeyFile);
    return {
      id: this.text('client.id', id),
      secret: secretPath
        ? this.text('client.secretFile', readOptionFile(FLAG, secretPath).toString('utf8').trim())
        : this.optionalText('client.secret', secret),
      privateKey: keyPath ? this.privateKey(keyPath) : undefined,
      keyId: this.optionalText('client.keyId', keyId),
    };
  }

  private privateKey(path: string): KeyObject | undefined {
    const content = readOptionFile(FLAG, path);
    try {
      const key = createPrivateKey(content);
      if (key.asymmetricKeyType === 'rsa' || key.asymmetricKeyDetails?.namedCurve === 'prime256v1')
        return key;
    } catch {
      // The parser's own message may quote the file.
    }
    this.check(
      false,
      'client.privateKeyFile',
      'must hold a private key in PEM: RSA or EC P-256, without a password',
    );
    return undefined;
  }

  private groups(content: unknown): GroupAccess[] {
    const list: readonly unknown[] = Array.isArray(content) ? content : [];
    this.check(list.length > 0, 'groups', 'must be a list of groups');
    return list.map((item, n) => {
      const at = `groups[${n}]`;
      const fields = this.fields(at, item, ['group', 'role', 'tenants', 'secondFactor']);
      const { group, role, tenants, secondFactor = false } = fields;
      this.check(role !== undefined, `${at}.role`, `must be one of ${ROLES.join(', ')}`);
      this.check(typeof secondFactor === 'boolean', `${at}.secondFactor`, 'must be true or false');
      const names = tenants === undefined ? undefined : this.texts(`${at}.tenants`, tenants);
      this.check(names?.length !== 0, `${at}.tenants`, 'must name a tenant');
      return {
        group: this.text(`${at}.group`, group),
        role: this.oneOf(`${at}.role`, role, ROLES) ?? 'auditor',
        tenants: names,
        secondFactor: secondFactor === true,
      };
    });
  }

  private texts(at: string, value: unknown): string[] {
    this.check(Array.isArray(value), at, 'must be a list of texts');
    return (Array.isArray(value) ? value : []).map((item, n) => this.text(`${at}[${n}]`, item));
  }

  /**
   * HTTPS, or plain HTTP on the local machine: others could read the codes and tokens. Without a password, which errors
   * would show.
   */
  private webAddress(at: string, value: unknown): string {
    const text = this.text(at, value);
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isSafe =
      url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
    this.check(isSafe, at, 'must be an address that begins with https://');
    const hasUser = url !== undefined && `${url.username}${url.password}` !== '';
    this.check(!hasUser, at, 'must have no user name or password');
    return isSafe ? text : '';
  }
}
