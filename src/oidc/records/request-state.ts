import { Provider } from 'oidc-provider';
import type { OidcClient } from '../../issuers/clients/oidc-client.entity.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { signInOf, type SignInFacts, type SignInText } from './sign-in-facts.js';

/** The records whose units include steps that the provider asked for before. */
type LaterRecord = 'token' | 'session';

/** What the adapters share during a request: the provider calls each of them separately. */
interface RequestState {
  /** The client that the request read last. */
  read?: { readonly clientId: string; readonly client: Promise<OidcClient | undefined> };
  /** The sign-in of the session, code or refresh token that the request found, for the records that it stores. */
  foundSignIn?: SignInFacts;
  /** The session that the request found in the database, as it is stored there. */
  foundSession?: { readonly id: string; readonly payload: string };
  /** Whether another request has changed or ended that session since, so that this one has stored nothing. */
  isOvertaken?: boolean;
  /** Steps that the request stores together with its next token or its session. */
  readonly deferred: Readonly<Record<LaterRecord, Step[]>>;
}

const STATES = new WeakMap<object, RequestState>();

/** The state of the request that a provider is answering; `undefined` while none is. */
export function requestState(): RequestState | undefined {
  const { ctx } = Provider;
  if (!ctx) return undefined;
  const state = stateOfRequest(ctx) ?? { deferred: { token: [], session: [] } };
  STATES.set(ctx, state);
  return state;
}

/** The state of a request, also after its answer; `undefined` if it has read and stored nothing. */
export const stateOfRequest = (ctx: object): RequestState | undefined => STATES.get(ctx);

/** The sign-in of the current request: the one that it completes, else the one that it found. */
export function currentSignIn(): SignInFacts {
  const completed = Provider.ctx?.oidc.result?.login?.['signIn'] as SignInText | undefined;
  if (completed) return signInOf(completed);
  const found = requestState()?.foundSignIn;
  if (!found) throw new Error('The request has no sign-in.');
  return found;
}

/** Keeps the sign-in of a session, code or refresh token for the records that the request stores. */
export function noteSignIn(found: SignInFacts): void {
  const state = requestState();
  if (!state) return;
  const { userId, lockouts, credentialId, credentialPartyId, disablings } = found;
  state.foundSignIn = { userId, lockouts, credentialId, credentialPartyId, disablings };
}

/** Leaves a step to the unit of a later record, since each unit costs a message to the database. */
export function deferUntil(record: LaterRecord, step: Step): void {
  const state = requestState();
  if (!state) throw new Error('No request of the provider stores this.');
  state.deferred[record].push(step);
}

/** The steps that belong to the unit of this record. */
export const takeDeferred = (record: LaterRecord): Step[] =>
  requestState()?.deferred[record].splice(0) ?? [];
