import { Provider } from 'oidc-provider';

/** The sign-in from which a session, grant, code or token comes. It is stored with each of them. */
export interface SignInFacts {
  readonly userId: Buffer;
  /** How often the user had been locked out when the sign-in began. */
  readonly lockouts: number;
  /** The key's row ID. */
  readonly credentialId: Buffer;
  /** The relying party of the key: during a move perhaps the old domain. */
  readonly credentialPartyId: Buffer;
  /** How often the key had been disabled, refused or restored then. */
  readonly disablings: number;
}

/** The facts as JSON, for the result of an interaction. */
type SignInText = {
  readonly [Name in keyof SignInFacts]: SignInFacts[Name] extends Buffer ? string : number;
};

export const signInText = (facts: SignInFacts): SignInText => ({
  userId: facts.userId.toString('base64url'),
  lockouts: facts.lockouts,
  credentialId: facts.credentialId.toString('base64url'),
  credentialPartyId: facts.credentialPartyId.toString('base64url'),
  disablings: facts.disablings,
});

const signInOf = (text: SignInText): SignInFacts => ({
  userId: Buffer.from(text.userId, 'base64url'),
  lockouts: text.lockouts,
  credentialId: Buffer.from(text.credentialId, 'base64url'),
  credentialPartyId: Buffer.from(text.credentialPartyId, 'base64url'),
  disablings: text.disablings,
});

/** Where the facts of a found record wait for the records that the same request stores. */
const FACTS = Symbol('the sign-in of the request');

/** Notes the sign-in of a record that a request of the provider found. */
export function noteSignIn(facts: SignInFacts): void {
  const { ctx } = Provider;
  if (ctx) Reflect.set(ctx, FACTS, facts);
}

/** The sign-in of the current request: the one that it completes, else the one of the record that it found. */
export function currentSignIn(): SignInFacts {
  const { ctx } = Provider;
  const completed = ctx?.oidc.result?.login?.['signIn'] as SignInText | undefined;
  if (completed) return signInOf(completed);
  const found = ctx && (Reflect.get(ctx, FACTS) as SignInFacts | undefined);
  if (!found) throw new Error('The request has no sign-in.');
  return found;
}
