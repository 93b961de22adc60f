import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Provider, errors, type Adapter, type AdapterPayload } from 'oidc-provider';
import { CeremonyStore } from '../../fido/ceremonies/stores/ceremony-store.js';
import { OidcClients } from '../../issuers/clients/oidc-clients.js';
import { originOf } from '../../issuers/issuer-address.js';
import { Clock } from '../../platform/common/clock.js';
import { sha256 } from '../../platform/common/sha256.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { Database } from '../../platform/database/database.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import type { OidcClient } from '../../issuers/clients/oidc-client.entity.js';
import { clientMetadata } from '../provider/client-metadata.js';
import {
  CONSUME_RECORD,
  DELETE_RECORD,
  DELETE_RECORDS_BY_REFERENCE,
  FIND_RECORD,
  FIND_RECORD_BY_REFERENCE,
  PUT_RECORD,
  REPLACE_PAYLOAD,
  type FoundRecord,
} from './oidc-record.statements.js';
import {
  currentSignIn,
  deferUntil,
  noteSignIn,
  requestState,
  takeDeferred,
} from './request-state.js';

/** A text of the store of unsigned records begins with it. */
const LABEL = 'o';
/** The callers of an interaction after its sign-in, which counts for no address any more. */
const SIGNED_IN = ['signed in'];
const SECONDS = 1000;

/** The store of interactions, and of sessions in which nobody has signed in: anyone can begin them. */
export abstract class UnsignedStore extends CeremonyStore {}

/** Where the providers of all issuers read and store. */
@Injectable()
export class ProviderAdapters {
  /** The origin of all issuers. */
  readonly origin: string;

  constructor(
    readonly database: Database,
    readonly clock: Clock,
    readonly clients: OidcClients,
    readonly unsigned: UnsignedStore,
    @Inject(serverOptions.KEY) options: ServerOptions,
  ) {
    this.origin = originOf(options);
  }

  /** The adapter of a model of an issuer (the names of models are those of oidc-provider). */
  of(rp: ScopeOwner, model: string): Adapter {
    const ModelAdapter = ADAPTERS[model] ?? RecordAdapter;
    // The provider calls only those methods that a model needs: nobody consumes a client.
    return new ModelAdapter(rp, model, this) as Partial<Adapter> as Adapter;
  }
}

/**
 * The provider calls the adapters of a request one after the other:
 *
 * - authorization: finds session, client and grant; stores a new or wider grant, the code, and last the session.
 * - resume, after a sign-in: the same, but first finds and deletes the interaction.
 * - token: finds client, code or refresh token, session and grant; consumes the code or refresh token; stores the tokens.
 *
 * Grant and code are deferred until the session, and the consumption until the first token. All else is stored or deleted
 * at once.
 */
class ProviderAdapter {
  constructor(
    protected readonly rp: ScopeOwner,
    protected readonly model: string,
    protected readonly stores: ProviderAdapters,
  ) {}

  /** A request of the provider reads a client once. */
  protected clientOf(id: unknown): Promise<OidcClient | undefined> {
    const state = requestState();
    const clientId = String(id);
    if (state?.read?.clientId === clientId) return state.read.client;
    const client = this.stores.clients.findOfIssuer(this.rp, 'oidc', clientId);
    if (state) state.read = { clientId, client };
    return client;
  }
}

/** Clients, which accounts change, and the provider only reads. */
class ClientAdapter extends ProviderAdapter {
  async find(id: string): Promise<AdapterPayload | undefined> {
    const client = await this.clientOf(id);
    return client && clientMetadata(client);
  }
}

/** Records of users who have not signed in, in the session store. */
class UnsignedAdapter extends ProviderAdapter {
  async find(id: string): Promise<AdapterPayload | undefined> {
    const entries = await this.stores.unsigned.entriesOf(this.nameOf(id));
    const text = entries.at(-1)?.slice(LABEL.length);
    return text === undefined ? undefined : (JSON.parse(text) as AdapterPayload);
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const request = Provider.ctx?.req as Request | undefined;
    const callers = request?.caller?.callers ?? SIGNED_IN;
    const wait = { lifeMs: expiresIn * SECONDS, most: 1 };
    const session = { id: this.nameOf(id), callers };
    await this.stores.unsigned.put(session, LABEL + JSON.stringify(payload), wait);
  }

  async destroy(id: string): Promise<void> {
    await this.stores.unsigned.take(this.nameOf(id), LABEL);
  }

  private nameOf(id: string): string {
    return `${this.rp.id.toString('base64url')}.${this.model}.${id}`;
  }
}

/** Interactions. They end as soon as their client or its redirect address is removed. */
class InteractionAdapter extends UnsignedAdapter {
  override async find(id: string): Promise<AdapterPayload | undefined> {
    const payload = await super.find(id);
    const { client_id: clientId, redirect_uri: redirectUri } = payload?.params ?? {};
    const client = payload && (await this.clientOf(clientId));
    return client?.redirectUris.includes(String(redirectUri)) ? payload : undefined;
  }
}

/** Tokens, and all that the database stores. A record whose sign-in has ended does not exist. */
class RecordAdapter extends ProviderAdapter {
  async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await this.read(id);
    return found && { ...payloadOf(found), jti: id };
  }

  /**
   * Stores a token; the first one of a request in the same unit as the consumption.
   *
   * @throws InvalidGrant if another request has consumed the code or refresh token in the meantime
   */
  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const unit = [...takeDeferred('token'), this.put(id, payload, expiresIn)];
    if (await this.stores.database.commit(unit)) return;
    throw new errors.InvalidGrant('the grant was used already');
  }

  async destroy(id: string): Promise<void> {
    const params = { ...scope(this.rp), id: this.hash(id) };
    await this.stores.database.store([DELETE_RECORD.step(params)]);
  }

  /** Deferred until the token that the client gets instead: either both are stored, or none. */
  async consume(id: string): Promise<void> {
    const params = { ...scope(this.rp), id: this.hash(id), now: this.stores.clock.now() };
    deferUntil('token', CONSUME_RECORD.mustChange(params));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    const params = { ...scope(this.rp), reference: referenceHash('Grant', grantId) };
    await this.stores.database.store([DELETE_RECORDS_BY_REFERENCE.step(params)]);
  }

  protected async read(id: string): Promise<FoundRecord | undefined> {
    const params = { ...scope(this.rp), id: this.hash(id), now: this.stores.clock.now() };
    const [found] = await this.stores.database.query(FIND_RECORD, params);
    // A grant may come from a sign-in with another key.
    if (found && this.model !== 'Grant') noteSignIn(found);
    return found;
  }

  protected put(id: string, payload: AdapterPayload, expiresIn: number): Step {
    const { database, clock } = this.stores;
    return PUT_RECORD[database.kind].step({
      ...scope(this.rp),
      id: this.hash(id),
      reference: this.referenceOf(payload),
      ...currentSignIn(),
      payload: textOf(payload),
      expiresAt: clock.now() + expiresIn * SECONDS,
    });
  }

  protected referenceOf({ grantId }: AdapterPayload): Buffer | null {
    return grantId === undefined ? null : referenceHash('Grant', grantId);
  }

  protected hash(id: string): Buffer {
    return sha256(`${this.model} ${id}`);
  }
}

/** Grants, deferred until the session, which the provider stores at the end of each request that has a user. */
class GrantAdapter extends RecordAdapter {
  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    deferUntil('session', this.put(id, payload, expiresIn));
  }
}

/** Codes, stored as grants are. They end as soon as the redirect address to which they were sent is removed. */
class CodeAdapter extends GrantAdapter {
  override async find(id: string): Promise<AdapterPayload | undefined> {
    const payload = await super.find(id);
    const client = payload && (await this.clientOf(payload.clientId));
    return client?.redirectUris.includes(String(payload?.redirectUri)) ? payload : undefined;
  }
}

/** Sessions: in the database from the sign-in on, before that in the session store. */
class SessionAdapter extends RecordAdapter {
  private readonly unsigned = new UnsignedAdapter(this.rp, this.model, this.stores);

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await this.read(id);
    const state = requestState();
    if (found && state) state.foundSession = { id, payload: found.payload };
    const payload = found ? { ...payloadOf(found), jti: id } : await this.unsigned.find(id);
    return payload?.state ? this.withoutRemovedAddress(payload) : payload;
  }

  /** The session of a code or token, which has a sign-in of its own. */
  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const { database, clock } = this.stores;
    const reference = referenceHash('Session', uid);
    const params = { ...scope(this.rp), reference, now: clock.now() };
    const [found] = await database.query(FIND_RECORD_BY_REFERENCE, params);
    return found && payloadOf(found);
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    if (payload.accountId === undefined) return this.unsigned.upsert(id, payload, expiresIn);
    const { database, clock } = this.stores;
    const state = requestState();
    const grantAndCode = takeDeferred('session');
    if (state?.foundSession?.id !== id)
      return database.store([...grantAndCode, this.put(id, payload, expiresIn)]);
    const next = textOf(payload);
    // Otherwise it could undo a sign-out, or drop the client for which another request has stored a code.
    const replacement = REPLACE_PAYLOAD.mustChange({
      ...scope(this.rp),
      id: this.hash(id),
      former: state.foundSession.payload,
      payload: next,
      expiresAt: clock.now() + expiresIn * SECONDS,
    });
    const isStored = await database.commit([replacement, ...grantAndCode]);
    if (isStored) state.foundSession = { id, payload: next };
    else state.isOvertaken = true;
  }

  override async destroy(id: string): Promise<void> {
    await Promise.all([super.destroy(id), this.unsigned.destroy(id)]);
  }

  /** A sign-out that waits for its answer leads to no address that was removed since. */
  private async withoutRemovedAddress(payload: AdapterPayload): Promise<AdapterPayload> {
    const { postLogoutRedirectUri: address, clientId } = payload.state ?? {};
    // The issuer's own, after a sign-in as another user, leads back to the interaction.
    if (typeof address !== 'string' || new URL(address).origin === this.stores.origin)
      return payload;
    const client = await this.clientOf(clientId);
    if (client?.postLogoutRedirectUris.includes(address)) return payload;
    return { ...payload, state: { ...payload.state, postLogoutRedirectUri: undefined } };
  }

  protected override referenceOf({ uid }: AdapterPayload): Buffer | null {
    return uid === undefined ? null : referenceHash('Session', uid);
  }
}

const ADAPTERS: Readonly<Record<string, typeof ProviderAdapter>> = {
  AuthorizationCode: CodeAdapter,
  Client: ClientAdapter,
  Grant: GrantAdapter,
  Interaction: InteractionAdapter,
  Session: SessionAdapter,
};

const textOf = (payload: AdapterPayload): string => JSON.stringify({ ...payload, jti: undefined });

const referenceHash = (kind: string, id: string): Buffer => sha256(`${kind} of ${id}`);

function payloadOf({ payload, consumedAt }: FoundRecord): AdapterPayload {
  const consumed = consumedAt === null ? {} : { consumed: Math.floor(consumedAt / SECONDS) };
  return { ...(JSON.parse(payload) as AdapterPayload), ...consumed };
}
