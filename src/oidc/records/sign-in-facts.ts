/** The sign-in from which a session, grant, code or token comes. It is stored with each of them. */
export interface SignInFacts {
  readonly userId: Buffer;
  /** How often the user had been locked out when the sign-in began. */
  readonly lockouts: number;
  /** The key's row ID. */
  readonly credentialId: Buffer;
  /** The relying party of the key: during a move perhaps the predecessor. */
  readonly credentialPartyId: Buffer;
  /** How often the key had been disabled, refused or restored then. */
  readonly disablings: number;
}

/** The facts as JSON, for the result of an interaction. */
export type SignInText = {
  readonly [Name in keyof SignInFacts]: SignInFacts[Name] extends Buffer ? string : number;
};

export const signInText = (facts: SignInFacts): SignInText => ({
  userId: facts.userId.toString('base64url'),
  lockouts: facts.lockouts,
  credentialId: facts.credentialId.toString('base64url'),
  credentialPartyId: facts.credentialPartyId.toString('base64url'),
  disablings: facts.disablings,
});

export const signInOf = (text: SignInText): SignInFacts => ({
  userId: Buffer.from(text.userId, 'base64url'),
  lockouts: text.lockouts,
  credentialId: Buffer.from(text.credentialId, 'base64url'),
  credentialPartyId: Buffer.from(text.credentialPartyId, 'base64url'),
  disablings: text.disablings,
});
